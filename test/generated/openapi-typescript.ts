// Runs openapi-typescript as it comes, in a process of its own: `node openapi-typescript.ts < openapi.json > types.d.ts`.
// It needs a version of TypeScript that can be programmed, which is not the one that the project is compiled with.

import { registerHooks } from "node:module";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { join } from "node:path";

const modules = join(import.meta.dirname, "../../node_modules");
const programmable = pathToFileURL(join(modules, "@ts-morph/common/dist/typescript.js")).href;

registerHooks({
  resolve: (specifier, context, nextResolve) =>
    specifier === "typescript"
      ? { url: programmable, format: "commonjs", shortCircuit: true }
      : nextResolve(specifier, context),
});

const { default: generate, astToString } = await import("openapi-typescript");
process.stdout.write(astToString(await generate(await text(process.stdin))));
