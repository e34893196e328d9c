// Reads metrics in Prometheus' text format, and keeps the last minutes of them.

/** How often the metrics are asked for, in milliseconds. */
export const STEP = 3000;
const KEPT = 200;

/** The samples of a text by name; each has labels and a value. */
export function parse(text) {
  const found = new Map();
  for (const line of text.split("\n")) {
    if (!line || line[0] === "#") continue;
    const open = line.indexOf("{");
    const end = open < 0 ? line.indexOf(" ") : line.lastIndexOf("} ") + 1;
    const name = line.slice(0, open < 0 ? end : open);
    const value = Number(line.slice(end + 1).replace("+Inf", "Infinity"));
    if (!found.has(name)) found.set(name, []);
    found.get(name).push({ labels: open < 0 ? {} : labels(line.slice(open + 1, end - 1)), value });
  }
  return found;
}

function labels(text) {
  const found = {};
  for (const [, name, value] of text.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
    found[name] = value.replace(/\\(.)/g, (_, letter) => (letter === "n" ? "\n" : letter));
  }
  return found;
}

/** The sum of the samples of a name that pass. */
export function sum(samples, name, passes = () => true) {
  return (samples.get(name) ?? []).reduce((all, sample) => (passes(sample.labels) ? all + sample.value : all), 0);
}

/** The last minutes. Its times are of the browser's monotonic clock, so that a clock that is set changes no rate. */
export class History {
  constructor() {
    this.points = [];
  }

  /** Adds what was read now; null is a gap, when nobody answered. */
  add(samples) {
    this.points.push({ at: performance.now(), samples });
    if (this.points.length > KEPT) this.points.shift();
  }

  /** A value at each point: {at, value}, with null where it is unknown. */
  values(read) {
    return this.points.map(({ at, samples }) => ({ at, value: samples ? read(samples) : null }));
  }

  /** How much a counter grows in a second, from each point to the next. A counter that falls began anew with the service. */
  rates(read) {
    return this.pairs((before, after, seconds) => growth(read(before), read(after)) / seconds);
  }

  /** How much a counter has grown from the first point to the last. */
  growth(read) {
    return this.pairs((before, after) => growth(read(before), read(after))).reduce((all, { value }) => all + (value ?? 0), 0);
  }

  /** A quantile of what a histogram saw from each point to the next, in its own unit. */
  quantiles(name, quantile) {
    return this.pairs((before, after) => quantileOf(buckets(before, name), buckets(after, name), quantile));
  }

  pairs(measure) {
    return this.points.slice(1).map((point, index) => {
      const before = this.points[index];
      const known = point.samples && before.samples && point.at > before.at;
      return { at: point.at, value: known ? measure(before.samples, point.samples, (point.at - before.at) / 1000) : null };
    });
  }
}

function growth(before, after) {
  return after >= before ? after - before : after;
}

function buckets(samples, name) {
  const all = new Map();
  for (const { labels: { le }, value } of samples.get(`${name}_bucket`) ?? []) {
    const bound = le === "+Inf" ? Infinity : Number(le);
    all.set(bound, (all.get(bound) ?? 0) + value);
  }
  return all;
}

function quantileOf(before, after, quantile) {
  const bounds = [...after.keys()].sort((a, b) => a - b);
  const grown = bounds.map((bound) => growth(before.get(bound) ?? 0, after.get(bound)));
  const total = grown.at(-1) ?? 0;
  if (!total) return null;
  const index = grown.findIndex((count) => count >= total * quantile);
  const low = index > 0 ? bounds[index - 1] : 0;
  const under = index > 0 ? grown[index - 1] : 0;
  const high = Number.isFinite(bounds[index]) ? bounds[index] : low;
  return low + ((high - low) * (total * quantile - under)) / Math.max(1e-9, grown[index] - under);
}
