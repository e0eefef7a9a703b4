// How a client in another language is generated, checked by that language's tools, and run against
// a service. Runs the installed tools; installs none.

import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

export interface Target {
  /** The path of the OpenAPI document. */
  readonly document: string;
  readonly baseUrl: string;
  readonly token: string;
}

export interface ClientMaker {
  /** What `--only` takes. */
  readonly name: string;
  /** Commands that succeed if the tools are installed. */
  readonly needs: readonly (readonly [command: string, ...words: readonly string[]])[];
  /** The expected output of the program. */
  readonly expected: readonly unknown[];
  /**
   * Works in an empty folder; returns the output of the program. Rejects with the error of a tool.
   */
  make(folder: string, target: Target): Promise<string>;
}

const outputBytesMax = 16 * 1_024 * 1_024;

/** Rejects with the output of the command where it fails. */
export async function run(folder: string, command: string, ...words: string[]): Promise<string> {
  try {
    const options = { cwd: folder, maxBuffer: outputBytesMax };
    const { stdout } = await promisify(execFile)(command, words, options);
    return stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${words.join(" ")}: ${stderr}${stdout}`, { cause: error });
  }
}

/** The command that fails, if one does. */
export async function missingTool({ needs }: ClientMaker): Promise<string | undefined> {
  for (const [command, ...words] of needs) {
    try {
      await run(".", command, ...words);
    } catch {
      return [command, ...words].join(" ");
    }
  }
  return undefined;
}

function program(name: string): string {
  return join(import.meta.dirname, name);
}

/** A client that openapi-generator makes, and that is compiled but not run. */
function compiled(
  name: string,
  generator: readonly string[],
  compile: readonly [command: string, ...words: string[]],
): ClientMaker {
  const [command] = compile;
  return {
    name,
    needs: [
      ["openapi-generator-cli", "version"],
      [command, command === "go" ? "version" : "--version"],
    ],
    expected: [],
    async make(folder, { document }) {
      const words = ["generate", "-i", document, "-o", ".", "-g", ...generator];
      await run(folder, "openapi-generator-cli", ...words);
      await run(folder, ...compile);
      return "[]";
    },
  };
}

const typeScript = ["--strict", "--target", "es2022", "--moduleResolution", "bundler"];

/** A client in TypeScript, in one folder. */
function typed(
  generator: string,
  wordsOf: (document: string) => readonly string[],
  main: string,
): ClientMaker {
  return {
    name: generator,
    needs: [
      [generator, "--version"],
      ["tsc", "--version"],
    ],
    expected: [],
    async make(folder, { document }) {
      await run(folder, generator, ...wordsOf(document));
      await run(folder, "tsc", "--noEmit", "--skipLibCheck", ...typeScript, main);
      return "[]";
    },
  };
}

/** What the guide on clients says about openapi-python-client. */
function withClosedRecords(document: string): string {
  const parsed = JSON.parse(document) as {
    components: {
      schemas: Record<string, { properties?: object; additionalProperties?: boolean }>;
    };
  };
  for (const schema of Object.values(parsed.components.schemas)) {
    if ("additional_properties" in (schema.properties ?? {})) schema.additionalProperties = false;
  }
  return JSON.stringify(parsed);
}

const maven = ["mvn", "-q", "-DskipTests", "compile"] as const;

export const clientMakers: readonly ClientMaker[] = [
  compiled("java-okhttp", ["java", "--library", "okhttp-gson"], [...maven]),
  compiled("java-native", ["java", "--library", "native"], [...maven]),
  compiled("kotlin", ["kotlin"], [...maven, "-f", program("kotlin-pom.xml")]),
  compiled("csharp", ["csharp"], ["dotnet", "build"]),
  compiled("go", ["go"], ["go", "build", "./..."]),
  compiled("rust", ["rust"], ["cargo", "check", "-q"]),
  compiled(
    "typescript-fetch",
    ["typescript-fetch"],
    ["tsc", "--noEmit", ...typeScript, "index.ts"],
  ),
  {
    name: "python",
    needs: [
      ["openapi-generator-cli", "version"],
      ["python3", "-c", "import dateutil, pydantic, urllib3"],
    ],
    expected: [1, "generator"],
    async make(folder, { document, baseUrl, token }) {
      await run(folder, "openapi-generator-cli", "generate", "-i", document, "-g", "python");
      cpSync(program("openapi-generator.py"), join(folder, "program.py"));
      return await run(folder, "python3", "program.py", baseUrl, token);
    },
  },
  {
    name: "openapi-python-client",
    needs: [
      ["openapi-python-client", "--version"],
      ["mypy", "--version"],
      ["python3", "-c", "import httpx, attrs"],
    ],
    expected: [1, 40901, 1, "python", 1],
    async make(folder, { document, baseUrl, token }) {
      const output = ["--meta", "none", "--output-path", "sluice_client"];
      const closed = join(folder, "closed.json");
      writeFileSync(closed, withClosedRecords(readFileSync(document, "utf8")));
      await run(folder, "openapi-python-client", "generate", "--path", closed, ...output);
      cpSync(program("program.py"), join(folder, "program.py"));
      // Not the generator's own runtime next to them, which doesn't depend on the document.
      const checked = ["program.py", "sluice_client/api", "sluice_client/models"];
      await run(folder, "mypy", "--strict", "--follow-imports=silent", ...checked);
      return await run(folder, "python3", "program.py", baseUrl, token);
    },
  },
  {
    name: "oapi-codegen",
    needs: [
      ["oapi-codegen", "-version"],
      ["go", "version"],
    ],
    expected: [1, 40901, 1, "go", 1],
    async make(folder, { document, baseUrl, token }) {
      mkdirSync(join(folder, "sluice"));
      const output = ["-generate", "types,client", "-package", "sluice", "-o", "sluice/client.go"];
      await run(folder, "oapi-codegen", ...output, document);
      cpSync(program("program.go"), join(folder, "main.go"));
      writeFileSync(join(folder, "go.mod"), "module example.com/generated\n\ngo 1.24\n");
      await run(folder, "go", "mod", "tidy");
      await run(folder, "go", "vet", "./...");
      return await run(folder, "go", "run", ".", baseUrl, token);
    },
  },
  {
    name: "ogen",
    needs: [
      ["ogen", "--version"],
      ["go", "version"],
    ],
    expected: [],
    async make(folder, { document }) {
      await run(folder, "ogen", "--target", "api", "--package", "api", document);
      writeFileSync(join(folder, "go.mod"), "module example.com/generated\n\ngo 1.24\n");
      await run(folder, "go", "mod", "tidy");
      await run(folder, "go", "vet", "./...");
      return "[]";
    },
  },
  typed(
    "orval",
    (document) => ["--input", document, "--output", "client.ts", "--client", "fetch"],
    "client.ts",
  ),
  typed("openapi-ts", (document) => ["-i", document, "-o", "client"], "client/index.ts"),
];
