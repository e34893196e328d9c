import TestSupport
import Testing
import Threading

@Suite struct FairQueueTests {
    private let shop = ShareOwner("shop")
    private let bank = ShareOwner("bank")

    /// A queue of named jobs. A class, because `#expect` cannot change a value.
    private final class Line {
        private var queue: FairQueue<String>

        init(_ bounds: ShareBound..., jobs: [(ShareOwner, String)] = []) {
            queue = FairQueue(bounds)
            for (owner, job) in jobs { #expect(add(job, for: owner)) }
        }

        func add(_ job: String, for owner: ShareOwner) -> Bool { queue.add(job, for: owner) }

        func begin() -> String {
            var begun = ""
            while let job = queue.next() { begun += job }
            return begun
        }

        func finish(_ owner: ShareOwner) { queue.finish(owner) }

        func remove(of owner: ShareOwner = ShareOwner(), where matches: (String) -> Bool) -> [String] {
            queue.removeWaiting(of: owner, where: matches)
        }
    }

    /// A queue without waiting jobs.
    private final class Places {
        private var queue: FairQueue<Void>

        init(_ bounds: ShareBound...) { queue = FairQueue(bounds) }

        func begin(_ owner: ShareOwner) -> Bool { queue.begin(owner) }

        func finish(_ owner: ShareOwner) { queue.finish(owner) }

        func hasRoom(for owner: ShareOwner = ShareOwner()) -> Bool { queue.hasRoom(for: owner) }
    }

    private var jobs: [(ShareOwner, String)] { [(shop, "a"), (shop, "b"), (shop, "c"), (bank, "x"), (bank, "y")] }

    @Test func `an owner runs no more jobs than its share`() {
        let queue = Line(ShareBound(10), ShareBound(1, waiting: 9), jobs: jobs)
        #expect(queue.begin() == "ax")
        queue.finish(shop)
        #expect(queue.begin() == "b")
        queue.finish(bank)
        queue.finish(shop)
        #expect(queue.begin() == "yc")
    }

    @Test func `owners take turns below the common limit`() {
        let queue = Line(ShareBound(2, waiting: 8), ShareBound(10), jobs: jobs)
        #expect(queue.begin() == "ax")
        queue.finish(shop)
        #expect(queue.begin() == "b")
        queue.finish(shop)
        #expect(queue.begin() == "y")
        queue.finish(bank)
        #expect(queue.begin() == "c")
    }

    @Test func `a late owner waits for one turn`() {
        let queue = Line(ShareBound(1, waiting: 9), ShareBound(1, waiting: 9), jobs: [(shop, "a"), (shop, "b"), (shop, "c")])
        #expect(queue.begin() == "a")
        #expect(queue.add("x", for: bank))
        queue.finish(shop)
        #expect(queue.begin() == "b")
        queue.finish(shop)
        #expect(queue.begin() == "x")
    }

    @Test func `nested owners take turns`() {
        let (one, two) = (ShareOwner("shop", "1"), ShareOwner("shop", "2"))
        let queue = Line(
            ShareBound(2, waiting: 9), ShareBound(1, waiting: 9), ShareBound(1, waiting: 9),
            jobs: [(one, "a"), (one, "b"), (two, "x"), (two, "y"), (ShareOwner("bank", "1"), "m")])
        #expect(queue.begin() == "am")
        for (owner, next) in [(one, "x"), (two, "b"), (one, "y")] {
            queue.finish(owner)
            #expect(queue.begin() == next)
        }
    }

    /// A person's jobs use places of this person and of the person's app, but not those of others.
    @Test func `a nested owner has its own limit`() {
        let queue = Places(ShareBound(8), ShareBound(3), ShareBound(2))
        let owners = [("shop", "1"), ("shop", "1"), ("shop", "1"), ("shop", "2"), ("shop", "2"), ("bank", "1"), ("bank", "2")]
        let begun = owners.map { queue.begin(ShareOwner($0.0, $0.1)) }
        #expect(begun == [true, true, false, true, false, true, true])
        queue.finish(ShareOwner("shop", "1"))
        #expect(queue.begin(ShareOwner("shop", "2")))
        #expect(!queue.begin(ShareOwner("shop", "1")))
    }

    @Test(arguments: [
        // The limits from the outside in, the owners that add a job each, and the number of accepted jobs.
        ([ShareBound(1, waiting: 2)], [ShareOwner](repeating: ShareOwner(), count: 5), 3),
        ([ShareBound(1, waiting: 2), ShareBound(1, waiting: 9)], [ShareOwner](repeating: ShareOwner("shop"), count: 5), 3),
        ([ShareBound(1, waiting: 9), ShareBound(1, waiting: 2)], [ShareOwner](repeating: ShareOwner("shop"), count: 5), 3),
        ([ShareBound(1, waiting: 9), ShareBound(2)], [ShareOwner](repeating: ShareOwner("shop"), count: 5), 2),
        ([ShareBound(9), ShareBound(9), ShareBound(1)], [ShareOwner](repeating: ShareOwner("shop", "1"), count: 5), 1),
        ([ShareBound(9), ShareBound(2), ShareBound(1)], (1...5).map { ShareOwner("shop", "\($0)") }, 2),
        ([ShareBound(9), ShareBound(9), ShareBound(1)], (1...5).map { ShareOwner("\($0)", "1") }, 5),
        // Names are compared as bytes, even if they are equal in Unicode.
        ([ShareBound(9), ShareBound(1)], [ShareOwner("\u{E9}"), ShareOwner("e\u{301}"), ShareOwner("\u{E9}")], 2),
    ])
    func `the number of waiting jobs is limited`(bounds: [ShareBound], owners: [ShareOwner], count: Int) {
        var queue = FairQueue<Int>(bounds)
        var added = 0
        for owner in owners where queue.add(0, for: owner) { added += 1 }
        #expect(added == count)
    }

    @Test func `a new owner finds room until the queue is full`() {
        let queue = Places(ShareBound(2), ShareBound(1))
        #expect(queue.begin(shop))
        #expect(!queue.hasRoom(for: shop))
        #expect(queue.hasRoom(for: bank))
        #expect(queue.hasRoom())
        #expect(queue.begin(bank))
        #expect(!queue.hasRoom())
        queue.finish(shop)
        #expect(queue.hasRoom(for: shop))
        #expect(!queue.hasRoom(for: bank))
    }

    /// A waiting job would be lost, because no one would start it.
    @Test func `places are taken only without waiting jobs`() async {
        await #expect(processExitsWith: .failure) {
            var queue = FairQueue<Void>([ShareBound(1), ShareBound(1, waiting: 1)])
            _ = queue.begin(ShareOwner("shop"))
        }
    }

    @Test func `waiting jobs can be removed`() {
        let queue = Line(ShareBound(10), ShareBound(1, waiting: 9), jobs: jobs)
        #expect(queue.begin() == "ax")
        #expect(queue.remove(of: shop) { $0 == "a" } == [])
        #expect(queue.remove(of: bank) { $0 == "b" } == [])
        #expect(queue.remove(of: shop) { $0 == "b" } == ["b"])
        #expect(queue.remove { $0 != "c" } == ["y"])
        #expect(queue.begin() == "")
        queue.finish(shop)
        #expect(queue.begin() == "c")
        queue.finish(bank)
        #expect(queue.add("z", for: bank))
        #expect(queue.begin() == "z")
    }

    @Test func `removed places are freed`() {
        let queue = Line(ShareBound(1, waiting: 4), ShareBound(1, waiting: 2), jobs: jobs)
        #expect(!queue.add("z", for: bank))
        #expect(queue.remove { _ in true }.count == 5)
        for (owner, job) in jobs { #expect(queue.add(job, for: owner)) }
        #expect(queue.begin() == "a")
    }

    /// For any sequence of additions, ends and removals: no limit is exceeded, and a job waits only because of a limit.
    @Test(arguments: 0..<20)
    func `limits hold, and only a limit delays a job`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var queue = FairQueue<Int>([ShareBound(6, waiting: 20), ShareBound(3, waiting: 8), ShareBound(2, waiting: 3)])
        var owners: [ShareOwner] = []
        var (waiting, running) = (Set<Int>(), Set<Int>())
        func count(_ jobs: Set<Int>, app: Int) -> Int { jobs.count { $0 % 3 == app } }
        func count(_ jobs: Set<Int>, person: Int) -> Int { jobs.count { $0 % 12 == person } }
        for number in 0..<2000 {
            // A job's number determines its app (modulo 3) and its person (modulo 12).
            let owner = ShareOwner("\(number % 3)", "\(number % 12)")
            owners.append(owner)
            switch Int.random(in: 0..<10, using: &random) {
            case 0: waiting.subtract(queue.removeWaiting(of: owner, where: { _ in true }))
            case 1..<6:
                let all = waiting.union(running)
                let isFree = all.count < 26 && count(all, app: number % 3) < 11 && count(all, person: number % 12) < 5
                let isAdded = queue.add(number, for: owner)
                #expect(isAdded == isFree)
                if isAdded { waiting.insert(number) }
            default:
                guard !running.isEmpty else { continue }
                let job = random.element(of: running.sorted())
                running.remove(job)
                queue.finish(owners[job])
            }
            while let job = queue.next() {
                let waited = waiting.remove(job)
                #expect(waited == job)
                running.insert(job)
            }
            #expect(running.count <= 6)
            #expect((0..<3).allSatisfy { count(running, app: $0) <= 3 })
            #expect((0..<12).allSatisfy { count(running, person: $0) <= 2 })
            let heldBack = waiting.filter { job in
                running.count == 6 || count(running, app: job % 3) == 3 || count(running, person: job % 12) == 2
            }
            #expect(heldBack == waiting)
        }
    }
}
