// The rule that statements which the engines share are never called without `yield*`, in examples (code.test.ts applies
// it).

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findYieldViolations } from "./rule/yields.ts";
import { parseFiles } from "./syntax.ts";

describe("shared statements", () => {
  const examples: readonly (readonly [path: string, text: string, violations: number])[] = [
    ["src/store/sql/a.ts", "function* f() { run(sql); }", 1],
    ["src/feature/one/store/a.ts", "function* f() { run(sql); }", 1],
    ["src/store/sql/b.ts", "function* f() { if (one) auditAct(note, act); }", 1],
    ["src/store/sql/c.ts", "function* f() { void run(sql); yield run(sql); }", 1],
    ["src/store/sql/d.ts", "function* f() { yield* run(sql); return yield* all(sql); }", 0],
    ["src/store/sql/e.ts", "function* f() { rows.push(row); seen.add(row); }", 0],
    ["src/store/sql/f.ts", 'import * as keys from "./a.ts";\nkeys.findKey(id);', 1],
    ["src/store/sqlite/a.ts", 'import { f } from "../sql/a.ts";\nf(connection);', 1],
    ["src/store/postgres/a.ts", 'import { f } from "../sql/a.ts";\nawait f(tx);', 1],
    ["src/store/postgres/b.ts", 'import { f } from "../sql/a.ts";\nawait tx.perform(f);', 0],
    ["src/store/postgres/e.ts", 'import * as keys from "../sql/a.ts";\nkeys.findKey(id);', 1],
    ["src/store/postgres/c.ts", 'import { f } from "./d.ts";\nawait f(tx);', 0],
  ];

  it("would be reported where they are not", () => {
    const files = parseFiles(examples.map(([path, text]) => ({ path, text })));
    assert.deepEqual(
      files.map((file) => findYieldViolations(file).length),
      examples.map(([, , violations]) => violations),
    );
  });
});
