// A small planted fault, and the tests that can see it. The lists are text, because a fault is a text that replaces
// another:
//
//   the path of the file: what no longer holds
//   - the exact text, which occurs once in the file, on one line or on several
//   + what replaces it; none where the text is removed
//   the path of a test file: part of the titles of the tests to run, all where it is left out

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface TestChoice {
  readonly file: string;
  readonly titles: string | undefined;
}

export interface Mutant {
  readonly file: string;
  readonly broken: string;
  readonly text: string;
  readonly replacement: string;
  /** The quickest first; the others run only as long as none has failed. */
  readonly tests: readonly TestChoice[];
}

const folder = join(import.meta.dirname, "..");

/** Every mutant, in the order of the lists, those of features last. */
export function readMutants(): readonly Mutant[] {
  const lists = ["mutants/list/*.txt", "feature/*/mutants.txt"];
  const paths = lists.flatMap((pattern) => globSync(pattern, { cwd: folder }).sort());
  return paths.flatMap((path) => parseMutants(readFileSync(join(folder, path), "utf8")));
}

/** Throws TypeError for a block that is not of this form. */
export function parseMutants(list: string): readonly Mutant[] {
  return list
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .filter((block) => block !== "")
    .map(parseMutant);
}

function parseMutant(block: string): Mutant {
  const [head = "", ...lines] = block.split("\n");
  const [, file, broken] = /^(\S+\.(?:ts|sql)): (.+)$/.exec(head) ?? [];
  const marked = (mark: string) =>
    lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(mark.length));
  const text = marked("- ").join("\n");
  const tests = lines.filter((line) => !/^[-+] /.test(line)).map(parseChoice);
  if (file === undefined || broken === undefined || text === "" || tests.length === 0) {
    throw new TypeError(`this is not the form of a mutant:\n${block}`);
  }
  return { file, broken, text, replacement: marked("+ ").join("\n"), tests };
}

function parseChoice(line: string): TestChoice {
  const [, file, titles] = /^(test\/\S+\.test\.ts)(?:: (.+))?$/.exec(line) ?? [];
  if (file === undefined) throw new TypeError(`this names no tests: ${line}`);
  return { file, titles };
}

/** The file with the fault. Throws TypeError unless the text occurs exactly once. */
export function plant(content: string, { file, text, replacement }: Mutant): string {
  const [before, after, ...more] = content.split(text);
  if (before === undefined || after === undefined || more.length > 0) {
    throw new TypeError(`not exactly once in ${file}: ${text}`);
  }
  return before + replacement + after;
}
