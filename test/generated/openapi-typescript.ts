// Runs openapi-typescript unmodified, in a separate process: `node openapi-typescript.ts <
// openapi.json > types.d.ts`. It needs a version of TypeScript with a programming interface, unlike
// the one that compiles the project.

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
