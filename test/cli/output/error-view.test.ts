// Errors as the command line prints them.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  OperatorError,
  type OperatorErrorName,
  reasonOf,
} from "../../../src/actions/operator/operator-error.ts";
import { AppError, unavailable } from "../../../src/domain/error.ts";
import { commands } from "../../../src/cli/commands.ts";
import { advice, viewError } from "../../../src/cli/output/error-view.ts";

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

const some = { organizationId: "acme", deletionRequestId: "del_1", ledgers: ["a.ndjson"] };

describe("the error that is shown", () => {
  for (const [name, advise] of Object.entries(advice)) {
    it(`${name} ends with a command that exists, or an option`, () => {
      const context = { ...some, isFirst: true, isOther: true, isRecord: true, isUnnamed: true };
      const { message } = viewError(
        new OperatorError(name as OperatorErrorName, "First.\n  second", { context }),
      );
      assert.equal(message, `First. ${advise(context)}\n  second`);
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

  it("is the first one, where closing something failed after it", () => {
    const error = failTwice();
    assert.ok(error instanceof SuppressedError);
    assert.deepEqual(viewError(error), { name: "no_such_key", message: "There is no such key." });
    assert.equal(reasonOf(error), "There is no such key.");
  });
});
