// A TypeScript client made by openapi-typescript with its defaults: it compiles at its strictest, says what the service takes
// and answers, and works against the service itself.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { promisify } from "node:util";
import { buildOpenApi } from "../../src/http/openapi.ts";
import { compile } from "../client/built-client.ts";
import { startScene } from "../contract/scene.ts";
import { root } from "../repository/tree.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

const scene = await startScene();
const customer = await scene.makeCustomer();
after(() => scene.stop());

async function generate(document: unknown): Promise<string> {
  const generator = join(import.meta.dirname, "openapi-typescript.ts");
  const child = spawn(process.execPath, [generator], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(document));
  return await text(child.stdout);
}

const program = `import createClient from "openapi-fetch";
import type { components, paths } from "./types.d.ts";

const [baseUrl = "", token = ""] = process.argv.slice(2);
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } });

// Nothing beyond what is required, and a null that means nothing.
const transaction: components["schemas"]["Transaction"] = {
  tx_id: "generated",
  type: "DEPOSIT",
  method: "SEPA",
  amount: null,
  currency: "EUR",
  status: "SETTLED",
  sender_id: "person-1",
  sender_country: "DE",
  receiver_id: null,
  timestamp: "2026-01-31T09:30:00Z",
};
const flow: components["schemas"]["OnboardingFlow"] = {
  onboarding_flow_id: "generated",
  flow_name: "f",
  outcome: "approved",
  outcome_reason: { scores: [1, { two: null }] },
  timestamp: "2026-01-31T09:30:00Z",
};

const added = await client.POST("/v2/transaction", { body: transaction });
const again = await client.POST("/v2/transaction", { body: transaction });
const listed = await client.POST("/v2/onboarding_flow", { body: [flow] });
const found = await client.GET("/v2/transaction", { params: { query: { tx_id: "generated" } } });
const wrong = await client.PUT("/v2/transaction", {
  body: { tx_id: "generated", timestamp: "never" },
});

// Whichever of the two forms of an error it is, code and message are there.
const { code, message }: components["schemas"]["Error"] = again.error ?? { code: 0, message: "" };
const fields: (string | undefined)[] | undefined = wrong.error?.errors?.map(({ field }) => field);
const written: number | undefined = added.data?.write_count;
const items = typeof listed.data === "object" ? listed.data.write_count : undefined;
console.log(JSON.stringify([written, code, message.length > 0, items, found.data?.first_seen, fields]));
`;

function writeProject(folder: string, types: string): void {
  writeFileSync(join(folder, "types.d.ts"), types);
  writeFileSync(join(folder, "program.ts"), program);
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  const compilerOptions = {
    target: "es2023",
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    allowImportingTsExtensions: true,
    types: ["node"],
    noEmit: true,
  };
  const project = { compilerOptions, files: ["program.ts", "types.d.ts"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
}

describe("a TypeScript client that is generated from the document", () => {
  let folder = "";
  before(async () => {
    folder = makeTempFolder();
    writeProject(folder, await generate(buildOpenApi()));
  });

  it("compiles at its strictest", async () => {
    assert.equal(await compile("-p", join(folder, "tsconfig.json")), "");
    assert.ok(readdirSync(folder).includes("types.d.ts"));
  });

  it("does what it says against the service", async () => {
    const args = [join(folder, "program.ts"), scene.service.address, customer.token];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    assert.deepEqual(JSON.parse(stdout), [
      1,
      40901,
      true,
      1,
      "2026-01-31T09:30:00Z",
      ["timestamp"],
    ]);
  });

  it("would not compile if a default were a keyword, or the forms of an error had less in common", async () => {
    const corrupted = JSON.parse(
      JSON.stringify(buildOpenApi(), (key, value: unknown) => {
        if (key === "is_test") return { ...(value as object), default: false };
        if (key !== "Problem") return value;
        const { message: _message, ...properties } = (value as { properties: object })
          .properties as {
          message: unknown;
        };
        return { type: "object", properties };
      }),
    ) as unknown;
    const other = makeTempFolder();
    writeProject(other, await generate(corrupted));
    const complaints = await compile("-p", join(other, "tsconfig.json"));
    assert.match(complaints, /is_test/);
    assert.match(complaints, /message/);
  });
});
