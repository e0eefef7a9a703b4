// Errors as the command line prints them.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OperatorError, reasonOf } from "../../../src/actions/operator/operator-error.ts";
import { viewError } from "../../../src/cli/output/error-view.ts";

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

describe("the error that is shown", () => {
  it("is the first one, where closing something failed after it", () => {
    const error = failTwice();
    assert.ok(error instanceof SuppressedError);
    assert.deepEqual(viewError(error), { name: "no_such_key", message: "There is no such key." });
    assert.equal(reasonOf(error), "There is no such key.");
  });
});
