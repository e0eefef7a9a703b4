// How the demonstration judges replies.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OperatorError } from "../../../src/actions/operator-error.ts";
import { expectReply, textOf } from "../../../src/cli/demo/expect.ts";

const reply = {
  request: "POST /v2/x",
  status: 200,
  body: { success: true, write_count: 3, list: [1] },
};

describe("a reply", () => {
  it("that is as promised gives its body", () => {
    assert.equal(expectReply(reply, 200, { write_count: 3, list: [1] }), reply.body);
  });

  const wrong: readonly (readonly [
    status: number,
    fields: Record<string, unknown>,
    says: RegExp,
  ])[] = [
    [201, {}, /POST \/v2\/x should be answered with 201, but was with 200 .*"write_count":3/],
    [200, { write_count: 4 }, /should be answered with 200 with write_count 4/],
    [200, { write_count: "3" }, /with write_count "3"/],
    [200, { list: [1, 2] }, /with list \[1,2\]/],
    [200, { missing: true }, /with missing true/],
  ];
  for (const [status, fields, says] of wrong) {
    it(`that is not ${status} ${JSON.stringify(fields)} is an error that shows it`, () => {
      assert.throws(
        () => expectReply(reply, status, fields),
        (error) => {
          assert.ok(error instanceof OperatorError);
          assert.match(error.message, says);
          return true;
        },
      );
    });
  }

  it("that is no object has no fields", () => {
    for (const body of [null, "text", 5]) {
      assert.throws(() => expectReply({ ...reply, body }, 200, { success: true }), OperatorError);
    }
  });

  it("has to have the text that is asked for", () => {
    assert.equal(textOf({ token: "t" }, "token"), "t");
    assert.throws(() => textOf({ token: "" }, "token"), /should have the text token/);
    assert.throws(() => textOf({ token: 5 }, "token"), OperatorError);
  });
});
