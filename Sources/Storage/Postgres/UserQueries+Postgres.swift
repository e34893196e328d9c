package import Core
internal import Postgres

/// Queries about users between the processes that share the database. They use the connection that polls for revocations, so that no long
/// read or write delays them.
extension PostgresStore {
    package func ask(_ question: UserQuery) throws(StoreError) -> Int {
        try ask(on: watcher) { session throws(PostgresError) in
            let query = Query(
                QuestionStatements.ask,
                [
                    .uuid(question.id.bytes), .stored(question.appID), .bytea(question.user.bytes), .bool(question.forgets),
                    .uuid(session.replica), .int8(PostgresSession.deadMilliseconds),
                ])
            return try session.run([query])[0].count
        }
    }

    package func answers(to question: UUIDv7) throws(StoreError) -> [[UInt8]] {
        try ask(on: watcher) { session throws(PostgresError) in
            var answers: [[UInt8]] = []
            for row in try session.run([Query(QuestionStatements.answers, .uuid(question.bytes))])[0] { answers.append(try row.bytes(0)) }
            return answers
        }
    }

    package func openQueries() throws(StoreError) -> [UserQuery] {
        try ask(on: watcher) { session throws(PostgresError) in
            var questions: [UserQuery] = []
            for row in try session.run([Query(QuestionStatements.open, .uuid(session.replica))])[0] {
                let digest = try row.bytes(2)
                // A later version may compute the digest of a user in another way.
                guard let user = KeyedDigest(bytes: digest.span) else { continue }
                questions.append(
                    UserQuery(id: try row.uuidv7(0), appID: try row.stored(1), user: user, forgets: try row.bool(3)))
            }
            return questions
        }
    }

    package func answer(_ question: UUIDv7, with answer: [UInt8]) throws(StoreError) {
        try ask(on: watcher) { session throws(PostgresError) in
            let query = Query(QuestionStatements.answer, .uuid(question.bytes), .uuid(session.replica), .bytea(answer))
            _ = try session.run([query])
        }
    }
}

extension PostgresSession {
    /// Deletes expired queries with their answers.
    static var forgetQuestions: Query { Query(QuestionStatements.forget, .int8(Int64(UserQuery.lifetimeMilliseconds))) }
}

private enum QuestionStatements {
    // A process without keys in force, such as a command, has answered no user.
    static let ask: StaticString = """
        INSERT INTO user_questions (id, replica, app_id, user_digest, forgets, asked_at)
        SELECT $1, replicas.id, $2, $3, $4, (extract(epoch FROM clock_timestamp()) * 1000)::bigint FROM replicas
        WHERE replicas.id <> $5 AND keys_digest IS NOT NULL
            AND seen_at >= (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $6
        RETURNING true
        """
    static let answers: StaticString = "SELECT answer FROM user_questions WHERE id = $1 AND answer IS NOT NULL"
    static let open: StaticString = """
        SELECT id, app_id, user_digest, forgets FROM user_questions WHERE replica = $1 AND answer IS NULL ORDER BY asked_at LIMIT 100
        """
    static let answer: StaticString = "UPDATE user_questions SET answer = $3 WHERE id = $1 AND replica = $2"
    static let forget: StaticString = """
        DELETE FROM user_questions WHERE asked_at < (extract(epoch FROM clock_timestamp()) * 1000)::bigint - $1
        """
}
