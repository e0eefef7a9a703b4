// Counts the work of a call: each block of our code that runs, according to the engine's own
// coverage, and the input that native functions process. Measures no time, so its figures are the
// same on any machine. Import it before what it is to count: a function that was compiled before
// has no counters for its blocks.

import { Session } from "node:inspector";
import { setFlagsFromString } from "node:v8";

// A call that the compiler has inlined is no longer counted, and when it does so depends on the
// machine.
for (const flag of ["--no-turbofan", "--no-maglev"]) setFlagsFromString(flag);

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
  }[];
}

export function countWork(work: () => void): { readonly blocks: number; readonly natives: number } {
  takeBlocks();
  const meter = meterNatives();
  try {
    work();
  } finally {
    meter.stop();
  }
  return { blocks: takeBlocks(), natives: meter.count() };
}

/** Since the last snapshot. */
function takeBlocks(): number {
  let blocks = 0;
  session.post("Profiler.takePreciseCoverage", (error, { result }: Coverage) => {
    if (error !== null) throw error;
    for (const { url, functions } of result) {
      if (!isOurs(url)) continue;
      for (const { ranges } of functions) for (const { count } of ranges) blocks += count;
    }
  });
  return blocks;
}

/** Validators are compiled from text, and have no URL. */
function isOurs(url: string): boolean {
  return url === "" || /\/(?:src|node_modules\/typebox)\//.test(url);
}

type Native = (this: unknown, ...given: readonly unknown[]) => unknown;
type Cost = (self: unknown, given: readonly unknown[], result: unknown) => number;

const lengthOf = (value: unknown): number => (value as { length?: number } | null)?.length ?? 0;
const wholeOfSelf: Cost = (self) => lengthOf(self);
const wholeOfResult: Cost = (_self, _given, result) => lengthOf(result);
/** From where it began to what it found, or to the end. */
const upToFound: Cost = (self, [, from = 0], result) =>
  (result === -1 || result === false ? lengthOf(self) : Number(result)) - Number(from) + 1;

const natives: readonly (readonly [object: object, names: string, cost: Cost])[] = [
  [String.prototype, "indexOf", upToFound],
  [String.prototype, "slice at charCodeAt startsWith endsWith", () => 1],
  [
    String.prototype,
    "split includes replace replaceAll toLowerCase trim isWellFormed",
    wholeOfSelf,
  ],
  [Array.prototype, "sort toSorted includes indexOf join shift splice slice concat", wholeOfSelf],
  [Uint8Array.prototype, "every fill", wholeOfSelf],
  [Buffer.prototype, "indexOf", upToFound],
  [Buffer.prototype, "toString latin1Slice utf8Slice", wholeOfSelf],
  [Buffer.prototype, "copy", (_self, _given, result) => Number(result)],
  [Buffer, "concat", wholeOfResult],
  [Object, "keys entries values getOwnPropertyNames", wholeOfResult],
  [Object, "fromEntries", (_self, [entries]) => lengthOf(entries)],
  [JSON, "parse", (_self, [text]) => lengthOf(text)],
  [JSON, "stringify", wholeOfResult],
];

function meterNatives(): { stop(): void; count(): number } {
  let total = 0;
  const undo: (() => void)[] = [];
  for (const [object, names, cost] of natives) {
    for (const name of names.split(" ")) {
      const descriptor = Object.getOwnPropertyDescriptor(object, name);
      const native = descriptor?.value as Native | undefined;
      if (descriptor === undefined || native === undefined) continue;
      const metered: Native = function metered(...given) {
        const result: unknown = Reflect.apply(native, this, given);
        total += cost(this, given, result);
        return result;
      };
      Object.defineProperty(object, name, { ...descriptor, value: metered });
      undo.push(() => Object.defineProperty(object, name, descriptor));
    }
  }
  return {
    stop: () => {
      for (const restore of undo) restore();
    },
    count: () => total,
  };
}
