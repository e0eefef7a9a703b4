// From an error to a reply: the Error body, problem+json (RFC 9457), and the headers of 401, 403 and 429.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AppError, errorCatalogue, type ErrorName, statusOf } from "../../../src/domain/error.ts";
import { errorAnswer, type ErrorContext } from "../../../src/http/reply/error-response.ts";

const plain: ErrorContext = { problem: false, apiKeyExpected: false };
const names = Object.keys(errorCatalogue) as ErrorName[];

function bodyOf(error: AppError, context: Partial<ErrorContext> = {}): unknown {
  return JSON.parse(String(errorAnswer(error, { ...plain, ...context }).body));
}

function authenticateOf(error: AppError, context: Partial<ErrorContext> = {}): string | undefined {
  return errorAnswer(error, { ...plain, ...context }).headers?.["www-authenticate"];
}

describe("the reply to an error", () => {
  it("lists the field errors, and omits errors when there are none", () => {
    const errors = [{ field: "[3].amount", message: "is required" }];
    const error = new AppError("validation_failed", { message: "Not so.", errors });
    assert.deepEqual(bodyOf(error), { code: 40000, message: "Not so.", errors });
    const empty = new AppError("validation_failed", { message: "Not so.", errors: [] });
    assert.deepEqual(bodyOf(empty), { code: 40000, message: "Not so." });
  });

  it("never shows the cause", () => {
    const error = new AppError("internal", { cause: new Error("secret detail") });
    assert.doesNotMatch(JSON.stringify(errorAnswer(error, plain)), /secret/);
  });

  it("has Retry-After when there is a time to wait", () => {
    const error = new AppError("rate_limited", { retryAfterSeconds: 7 });
    assert.equal(errorAnswer(error, plain).headers?.["retry-after"], "7");
    assert.equal(
      errorAnswer(new AppError("rate_limited"), plain).headers?.["retry-after"],
      undefined,
    );
  });

  it("includes further headers", () => {
    const answer = errorAnswer(new AppError("method_not_allowed"), {
      ...plain,
      headers: { allow: "GET" },
    });
    assert.equal(answer.headers?.["allow"], "GET");
  });
});

describe("the reply as application/problem+json", () => {
  it("has the members of RFC 9457, with the same code and errors", () => {
    const errors = [{ field: "amount", message: "is required" }];
    const error = new AppError("validation_failed", { message: "Not so.", errors });
    const answer = errorAnswer(error, { ...plain, problem: true });
    assert.equal(answer.contentType, "application/problem+json");
    assert.deepEqual(JSON.parse(String(answer.body)), {
      type: "urn:sluice:error:40000",
      title: "Bad Request",
      status: 400,
      detail: "Not so.",
      message: "Not so.",
      code: 40000,
      errors,
    });
  });

  for (const name of names) {
    it(`has a title for ${name}`, () => {
      const { title } = bodyOf(new AppError(name), { problem: true }) as { title: string };
      assert.notEqual(title, "Error");
    });
  }
});

describe("WWW-Authenticate (RFC 6750, section 3)", () => {
  it("names no error when no credential was sent", () => {
    assert.equal(authenticateOf(new AppError("credential_missing")), 'Bearer realm="sluice"');
  });

  it("says insufficient_scope where the scope is missing", () => {
    const header = authenticateOf(new AppError("insufficient_scope"));
    assert.match(header ?? "", /^Bearer realm="sluice", error="insufficient_scope"/);
  });

  it("asks for the API key where one is expected", () => {
    for (const name of ["credential_missing", "credential_invalid"] as const) {
      const header = authenticateOf(new AppError(name), { apiKeyExpected: true });
      assert.equal(header, 'ApiKey realm="sluice"');
    }
    const scope = new AppError("insufficient_scope");
    assert.equal(authenticateOf(scope, { apiKeyExpected: true }), undefined);
  });

  it("is sent only with 401 and 403", () => {
    for (const name of names) {
      const status = statusOf(new AppError(name));
      if (status === 401 || name === "insufficient_scope") continue;
      assert.equal(authenticateOf(new AppError(name)), undefined, name);
    }
  });
});
