// Errors as the command line prints them.

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
import { commands } from "../../../src/process/command-table.ts";
import { advice, viewError } from "../../../src/cli/output/error-view.ts";
import { makeKeyReader } from "../../../src/data-folder/receipt-key.ts";
import { makePrivateFolder } from "../../../src/files/private-folder.ts";
import { readConfig } from "../../../src/settings/config.ts";
import { describeFailure } from "../../../src/store/sqlite/connection.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

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

type Environment = Readonly<Record<string, string>>;

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
      const context = { ...some, isFirst: true, isOther: true, isRecord: true, isUnnamed: true };
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
      message: "The store is older than its ledger. Run: sluice deletion replay",
    });
  });

  it("names the setting that determines the path of a file that can't be used", () => {
    const folder = makeTempFolder();
    const file = join(folder, "file");
    writeFileSync(file, "no key");
    const key = (path: string) => ({ DATA_DIR: folder, RECEIPT_KEY_FILE: path });
    const cases: readonly (readonly [Environment, unknown, string])[] = [
      [{ DATA_DIR: file }, failureOf(() => makePrivateFolder(file)), "DATA_DIR"],
      [
        { DATA_DIR: join(file, "a") },
        failureOf(() => makePrivateFolder(join(file, "a"))),
        "DATA_DIR",
      ],
      [
        { DATA_DIR: folder, DATABASE_URL: `sqlite:${file}/a/b.db` },
        describeFailure(
          `${file}/a/b.db`,
          failureOf(() => makePrivateFolder(`${file}/a`)),
        ),
        "DATABASE_URL",
      ],
      [key(folder), failureOf(makeKeyReader(readConfig(key(folder)))), "RECEIPT_KEY_FILE"],
      [key(file), failureOf(makeKeyReader(readConfig(key(file)))), "RECEIPT_KEY_FILE"],
    ];
    for (const [environment, cause, name] of cases) {
      const { message } = viewError(OperatorError.from("serve", cause), {
        environment,
        words: ["serve"],
      });
      assert.match(
        message,
        new RegExp(
          `(?:Name another path|not a file|without a passphrase)\\. The setting ${name} determines this path\\.$`,
        ),
      );
    }
    const elsewhere = failureOf(() => makePrivateFolder(file));
    const ofOthers: readonly (readonly [dataDir: string, ...words: string[]])[] = [
      [join(folder, "b"), "serve"],
      [folder, "backup", file],
      [folder, "export", `--output=${file}`],
    ];
    for (const [dataDir, ...words] of ofOthers) {
      const { message } = viewError(elsewhere, { environment: { DATA_DIR: dataDir }, words });
      assert.doesNotMatch(message, /setting/);
    }
  });

  it("is the first one, where closing something failed after it", () => {
    const error = failTwice();
    assert.ok(error instanceof SuppressedError);
    assert.deepEqual(viewError(error), { name: "no_such_key", message: "There is no such key." });
    assert.equal(reasonOf(error), "There is no such key.");
  });
});
