// The snippets of the documents import what they use, from where it is. Those in TypeScript are compiled, and the pages
// that are whole programs are run (test/client/guides.test.ts).

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { blocksOf } from "../repository/rule/pages.ts";
import { readFile } from "../repository/tree.ts";
import { inPython, missingPython } from "./subject.ts";

const guides = ["docs/guides/changes.md", "docs/guides/webhooks.md"];

/** Executes the imports, and prints the names that are neither imported nor assigned. */
const findUndefined = `
import ast, builtins, sys

tree = ast.parse(sys.argv[1])
known = set(dir(builtins))
for node in ast.walk(tree):
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        exec(compile(ast.Module([node], []), "snippet", "exec"))
        known.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ExceptHandler)):
        known.add(node.name)
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
        known.add(node.id)
names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
print(*sorted(names - known))
`;

/** Names of the reader's own program. */
const own = {
  "docs/guides/changes.md": "api_key base_url organization_id store stored",
  "docs/guides/webhooks.md": "body headers secret",
  "clients/python/README.md": "",
};

describe("the snippets in Python", () => {
  for (const [page, expected] of Object.entries(own)) {
    it(`import what they use: ${page}`, async (context) => {
      const reason = await missingPython();
      if (reason !== undefined) return context.skip(reason);
      const code = blocksOf(readFile(page).text, "python").join("\n");
      const { stdout } = await inPython("-c", findUndefined, code);
      return assert.equal(stdout.trim(), expected);
    });
  }
});

describe("the snippets in Go", () => {
  for (const page of [...guides, "clients/go/README.md"]) {
    it(`import what they use: ${page}`, () => {
      const code = blocksOf(readFile(page).text, "go").join("\n");
      const packages = code.matchAll(/\b(sluice|errors|log|os|time)\.[A-Z]/g);
      const used = new Set(Array.from(packages, ([, name = ""]) => name));
      assert.ok(used.size > 0);
      for (const name of used)
        assert.match(code, new RegExp(`"${name}"|^\\s*(import )?${name} "`, "m"));
    });
  }
});
