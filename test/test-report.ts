// Reports a run of the tests: a line per file, every failure in full at the end, what was skipped and why, then the
// counts. Only listens; run.ts decides what to run and what follows.

import { relative } from "node:path";
import { inspect } from "node:util";

/** An event of node:test's `run`, as far as it is used. */
export interface RunEvent {
  readonly type: string;
  readonly data: unknown;
}

export interface TestData {
  readonly name?: string;
  readonly nesting?: number;
  readonly file?: string;
  readonly type?: string;
  readonly line?: number;
  readonly message?: string;
  readonly details?: {
    readonly type?: string;
    readonly duration_ms?: number;
    readonly error?: TestError;
  };
  readonly counts?: Readonly<Record<string, number>>;
  readonly duration_ms?: number;
  readonly success?: boolean;
  /** The reason; true if there is none. */
  readonly skip?: string | boolean;
}

type TestError = Error & { readonly failureType?: string };

/**
 * The closing lines, in the order of node's own, with the name that each count has in the event.
 */
const closing = {
  tests: "tests",
  suites: "suites",
  pass: "passed",
  fail: "failed",
  cancelled: "cancelled",
  skipped: "skipped",
  todo: "todo",
} as const;

export class TestReport {
  readonly #root: string;
  readonly #write: (text: string) => void;
  readonly #failures: string[] = [];
  /** Titles from the outermost in, by file: the position of the test that an event is about. */
  readonly #titles = new Map<string, string[]>();
  readonly #output = new Map<string, string>();
  /** Titles, by reason and then by file. */
  readonly #skipped = new Map<string, Map<string, string[]>>();
  readonly #running = new Set<string>();
  #empty = 0;
  #total: TestData | undefined;

  constructor(root: string, write: (text: string) => void) {
    this.#root = root;
    this.#write = write;
  }

  take({ type, data }: RunEvent): void {
    const told = data as TestData;
    const file = told.file ?? "";
    // Reported at once, unlike the events of the start and the result of a test.
    if (type === "test:dequeue" && told.type === "test" && told.name !== file)
      this.#running.add(`${this.#nameOf(file)}: ${told.name ?? ""}`);
    else if (type === "test:complete")
      this.#running.delete(`${this.#nameOf(file)}: ${told.name ?? ""}`);
    else if (type === "test:start")
      this.#titlesOf(file).splice(told.nesting ?? 0, Infinity, told.name ?? "");
    else if (type === "test:stdout" || type === "test:stderr") this.#keepOutput(file, told.message);
    else if (type === "test:fail") this.#fail(file, told);
    else if (type === "test:pass" && told.name === file) this.#failEmpty(file);
    else if (type === "test:pass") this.#noteSkip(file, told);
    else if (type === "test:summary") this.#summarise(told);
    // Those of a run have no test.
    else if (type === "test:diagnostic" && (told.nesting ?? 0) > 0)
      this.#write(`     ${told.message ?? ""}\n`);
  }

  /** Prints failures and counts; true if tests ran and none failed. */
  close(): boolean {
    if (this.#total?.success === false && this.#failures.length === 0) {
      this.#failures.push(`FAIL without a test that failed\n${indent(this.#unfinished())}`);
    }
    for (const failure of this.#failures) this.#write(`\n${failure}\n`);
    this.#writeSkipped();
    const counts = this.#counts();
    this.#write("\n");
    for (const [name, key] of Object.entries(closing))
      this.#write(`# ${name} ${counts[key] ?? 0}\n`);
    this.#write(`# duration_ms ${Math.round(this.#total?.duration_ms ?? 0)}\n`);
    return (
      this.#total?.success === true && this.#failures.length === 0 && (counts["tests"] ?? 0) > 0
    );
  }

  /** The tests that a process leaves behind which hangs or ends. */
  #unfinished(): string {
    const names = [...this.#running];
    return names.length === 0 ? "" : `Tests that had started:\n${indent(names.join("\n"))}`;
  }

  /** Node counts a file without tests as a test that passed; here it failed. */
  #counts(): Readonly<Record<string, number>> {
    const { passed = 0, failed = 0, ...rest } = this.#total?.counts ?? {};
    return { ...rest, passed: passed - this.#empty, failed: failed + this.#empty };
  }

  #fail(file: string, { name, nesting = 0, line, details }: TestData): void {
    const error = details?.error;
    if (error?.failureType === "subtestsFailed") return;
    const path = this.#nameOf(file);
    if (name === file) {
      this.#write(`FAIL ${path}\n`);
      const why = [error?.message ?? "", this.#output.get(file) ?? "", this.#unfinished()];
      this.#failures.push(`FAIL ${path}\n${indent(why.filter((one) => one !== "").join("\n"))}`);
      return;
    }
    const title = [...this.#titlesOf(file).slice(0, nesting), name].join(" › ");
    const place = line === undefined ? path : `${path}:${line}`;
    const output = this.#output.get(file);
    const printed = output === undefined ? "" : `\n  The file printed:\n${indent(output)}`;
    this.#failures.push(`FAIL ${title}\n  ${place}\n${indent(describeError(error))}${printed}`);
    this.#output.delete(file);
  }

  #failEmpty(file: string): void {
    this.#empty += 1;
    this.#write(`FAIL ${this.#nameOf(file)}\n`);
    this.#failures.push(`FAIL ${this.#nameOf(file)}\n  There is no test in it.`);
  }

  #noteSkip(file: string, { name = "", nesting = 0, skip }: TestData): void {
    if (skip === undefined || skip === false) return;
    const reason = typeof skip === "string" && skip !== "" ? skip : "without a reason";
    const byFile = this.#skipped.get(reason) ?? new Map<string, string[]>();
    const titles = [...this.#titlesOf(file).slice(0, nesting), name];
    byFile.set(file, [...(byFile.get(file) ?? []), titles.join(" › ")]);
    this.#skipped.set(reason, byFile);
  }

  #writeSkipped(): void {
    if (this.#skipped.size === 0) return;
    this.#write("\nSkipped:\n");
    const reasons = [...this.#skipped].sort(([one], [other]) => one.localeCompare(other));
    const rows = reasons.flatMap(([reason, byFile]) =>
      [...byFile].map(([file, titles]) => {
        const [title = "", another] = titles;
        const what = another === undefined ? title : `${titles.length} tests`;
        return [reason, `${this.#nameOf(file)}: ${what}`] as const;
      }),
    );
    const width = Math.max(...rows.map(([reason]) => reason.length));
    for (const [reason, what] of rows) this.#write(`  ${reason.padEnd(width)}  ${what}\n`);
  }

  #summarise(told: TestData): void {
    if (told.file === undefined) {
      this.#total = told;
      return;
    }
    const tests = told.counts?.["tests"] ?? 0;
    const noun = tests === 1 ? "test" : "tests";
    const verdict = told.success === true ? "ok  " : "FAIL";
    const ms = Math.round(told.duration_ms ?? 0);
    this.#write(`${verdict} ${this.#nameOf(told.file)} (${tests} ${noun}, ${ms} ms)\n`);
  }

  #keepOutput(file: string, text = ""): void {
    const charactersMax = 20_000;
    const kept = (this.#output.get(file) ?? "") + text;
    this.#output.set(file, kept.slice(-charactersMax));
  }

  #titlesOf(file: string): string[] {
    const known = this.#titles.get(file) ?? [];
    this.#titles.set(file, known);
    return known;
  }

  #nameOf(file: string): string {
    return relative(this.#root, file);
  }
}

function describeError(error: TestError | undefined): string {
  if (error === undefined) return "It failed without an error.";
  return error.cause instanceof Error ? inspect(error.cause) : error.message;
}

function indent(text: string): string {
  return text.trimEnd().replace(/^/gm, "  ");
}
