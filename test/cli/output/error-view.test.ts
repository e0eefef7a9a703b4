// Errors as the command line prints them. Texts from outside can neither move the cursor of a terminal nor forge a line
// of output. Tables and lists in human-readable output.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  OperatorError,
  type OperatorErrorName,
  reasonOf,
} from "../../../src/actions/operator/operator-error.ts";
import { AppError, unavailable } from "../../../src/domain/error.ts";
import { loadTable } from "../../../src/process/command-table.ts";
import { advice, viewError } from "../../../src/cli/output/error-view.ts";
import { makePrivateFolder } from "../../../src/files/private-folder.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";
import { escapeControls, replaceControls } from "../../../src/cli/output/control-characters.ts";
import { makeCommandLine } from "../command-line.ts";
import { formatTime, renderFields, renderTable } from "../../../src/cli/output/table.ts";

const { commands } = await loadTable();

/** The error of work after which closing something fails too. */
function failTwice(): unknown {
  try {
    using stack = new DisposableStack();
    stack.defer(() => {
      throw new Error("The store can't be closed.");
    });
    throw new OperatorError("no_such_key", "There is no such key.");
  } catch (error) {
    return error;
  }
}

function failureOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error("it did not fail");
}

const some = { organizationId: "acme", deletionRequestId: "del_1", ledgers: ["a.ndjson"] };

describe("the error that is shown", () => {
  for (const [name, advise] of Object.entries(advice)) {
    it(`${name} ends with a command that exists, or an option`, () => {
      const context = {
        ...some,
        option: "--encoding",
        isFirst: true,
        isOther: true,
        isRecord: true,
        isUnnamed: true,
      };
      const { message } = viewError(
        new OperatorError(name as OperatorErrorName, "First.\n  second", { context }),
      );
      assert.equal(message, `First. ${advise?.(context)}\n  second`);
      const [, command] = /sluice (.*)/.exec(message) ?? [];
      if (command === undefined) assert.match(message, / --[a-z]/);
      else assert.ok(commands.some((known) => command.startsWith(known.name)));
    });
  }

  it("has no advice to create what there is", () => {
    const error = new OperatorError("no_such_key", "There are: key_1.", { context: some });
    assert.equal(viewError(error).message, "There are: key_1.");
  });

  it("says why the store is unavailable", () => {
    const cause = new Error("The role sluice_service lacks rights.");
    const { message } = viewError(unavailable("database_forbids", { cause }));
    assert.match(message, / try again later\. The role sluice_service lacks rights\.$/);
  });

  it("names the fields of an error of the API", () => {
    const errors = [{ field: "amount", message: "is required" }];
    const { message, code } = viewError(
      new AppError("validation_failed", { message: "It is not valid.", errors }),
    );
    assert.deepEqual([message, code], ["It is not valid. amount is required.", 40_000]);
  });

  it("has the advice of the error that caused it", () => {
    const cause = new OperatorError("ledger_ahead", "The store is older than its ledger.");
    assert.deepEqual(viewError(OperatorError.from("serve", cause)), {
      name: "serve",
      message: "The store is older than its ledger. Run: npx sluice deletion replay",
    });
  });

  it("names the settings of paths, unless the command line names the file", () => {
    const file = join(makeTempFolder(), "file");
    writeFileSync(file, "no key");
    const cause = failureOf(() => makePrivateFolder(file));
    const { message } = viewError(OperatorError.from("serve", cause), ["serve"]);
    assert.match(
      message,
      /Name another path\. DATABASE_URL, DATA_DIR and RECEIPT_KEY_FILE say where/,
    );
    for (const words of [
      ["backup", file],
      ["export", `--output=${file}`],
    ]) {
      assert.doesNotMatch(viewError(cause, words).message, /DATA_DIR/);
    }
  });

  it("is the first one, where closing something failed after it", () => {
    const error = failTwice();
    assert.ok(error instanceof SuppressedError);
    assert.deepEqual(viewError(error), { name: "no_such_key", message: "There is no such key." });
    assert.equal(reasonOf(error), "There is no such key.");
  });
});

describe("control characters", () => {
  it("are replaced in the cells of tables", () => {
    assert.equal(replaceControls("a\u001b[2Jb\nc\u0085d"), "a\uFFFD[2Jb\uFFFDc\uFFFDd");
  });

  it("are escaped in messages, and so are the lines of an argument, but not those of the message", () => {
    const message = "There is no x\nsluice: done\u001b[1m. See:\n  here";
    const words = ["--id=x\nsluice: done\u001b[1m"];
    const expected = "There is no x\\nsluice: done\\u001b[1m. See:\n  here";
    assert.equal(escapeControls(message, words), expected);
  });

  it("of an argument are escaped in the errors of commands", async () => {
    const line = makeCommandLine();
    await line.ask("organization create --name Acme --id acme");
    const hostile = "no\u001b[2J\nsluice: Everything is erased.";
    for (const words of [
      ["organization show", hostile],
      ["record show transaction", hostile, "--organization", "acme"],
      ["deletion list --organization", hostile],
      ["deletion list", hostile],
    ] as const) {
      const { err } = await line.type(...words);
      // eslint-disable-next-line no-control-regex
      assert.doesNotMatch(err, /\u001b|^sluice: Everything/m, words[0]);
      assert.equal(err.split("\n").length, 2, err);
    }
  });
});

describe("tables", () => {
  it("align text to the left and numbers to the right, without trailing spaces", () => {
    const table = renderTable<[string, number]>(
      [
        ["name", ([name]) => name],
        ["count", ([, count]) => String(count), { right: true }],
        ["", () => ""],
      ],
      [
        ["a", 5],
        ["longer", 123_456],
      ],
    );
    assert.equal(table, ["name     count", "a            5", "longer  123456"].join("\n"));
  });

  it("prevent outside text from moving the cursor or forging a line", () => {
    const table = renderTable([["name", (name: string) => name]], ["a\u001b[2Jb\nc"]);
    assert.equal(table, "name\na\uFFFD[2Jb\uFFFDc");
    assert.equal(renderFields([["name", "a\rb"]]), "name  a\uFFFDb");
  });

  it("show times in UTC, and a dash for missing ones", () => {
    assert.equal(formatTime(0), "1970-01-01T00:00:00.000Z");
    assert.equal(formatTime(undefined), "-");
  });
});
