// The OpenAPI document: it contains all that the route table and the schemas define, in standard
// terms, and nothing else.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { identifier, required, text } from "../../src/domain/schema/fields.ts";
import { defineRecordType } from "../../src/domain/record-type.ts";
import { recordTypes } from "../../src/domain/record-types.ts";
import { allScopes } from "../../src/domain/scope.ts";
import { buildOpenApi } from "../../src/process/openapi.ts";
import { operations } from "../../src/process/operations.ts";
import type { OperationObject, ResponseObject } from "../../src/http/openapi/document.ts";
import { componentName } from "../../src/http/openapi/wording.ts";
import { eachOperation, examplesOf, makeCompiler, mediaTypesOf } from "./document-walk.ts";

const document = buildOpenApi();
const text3_1 = JSON.stringify(document);

function operationAt(method: string, path: string): OperationObject {
  const found = eachOperation(document).find((one) => one.method === method && one.path === path);
  assert.ok(found !== undefined, `${method} ${path} is not in the document`);
  return found.operation;
}

describe("the document", () => {
  it("is byte-identical each time", () => {
    assert.equal(JSON.stringify(buildOpenApi()), text3_1);
  });

  it("names the default address as its server", () => {
    assert.equal(document.servers[0]?.url, "http://127.0.0.1:8080");
  });

  it("has everything that it refers to, and refers to everything that it has", () => {
    const referred = new Set(text3_1.match(/#\/components\/[\w./-]+/g));
    const { securitySchemes, ...parts } = document.components;
    const had = Object.entries(parts).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `#/components/${kind}/${name}`),
    );
    assert.deepEqual([...referred].toSorted(), had.toSorted());
    const used = eachOperation(document).flatMap(({ operation }) =>
      operation.security.flatMap(Object.keys),
    );
    assert.deepEqual([...new Set(used)].toSorted(), Object.keys(securitySchemes).toSorted());
  });

  it("omits what only other types need", () => {
    const few = recordTypes.filter(({ resourceType }) => resourceType === "screening");
    const { schemas } = buildOpenApi(few).components;
    assert.ok("Screening" in schemas);
    assert.ok(!("Address" in schemas));
    assert.ok(!("CurrencyCode" in schemas));
  });

  it("describes each tag that an operation has", () => {
    const described = document.tags.filter(({ description }) => description !== "");
    const used = eachOperation(document).flatMap(({ operation }) => operation.tags);
    assert.deepEqual([...new Set(used)].toSorted(), described.map(({ name }) => name).toSorted());
  });

  it("shows a further record type without changes", () => {
    const refund = defineRecordType({
      resourceType: "card_refund",
      idField: "refund_id",
      family: "transactions",
      title: "Card refund",
      summary: "Money that goes back to a card.",
      fields: { refund_id: required(identifier("Its id.")), why: required(text("Why.")) },
      example: { refund_id: "refund-1", why: "returned", timestamp: "2026-01-31T09:30:00Z" },
    });
    const more = buildOpenApi([...recordTypes, refund]);
    const methods = Object.keys(more.paths["/v2/card_refund"] ?? {});
    assert.deepEqual(methods, ["parameters", "get", "head", "post", "put"]);
    for (const name of ["CardRefund", "CardRefundUpdate", "CardRefundExistence"]) {
      assert.ok(name in more.components.schemas, name);
    }
    assert.ok(more.tags.some(({ name }) => name === "Card refund"));
  });
});

describe("the components that operations state", () => {
  it("are the same wherever they have the same name", () => {
    const known = new Map<string, unknown>();
    const requireSame = (name: string, part: unknown): void => {
      assert.deepEqual(part, known.get(name) ?? part, name);
      known.set(name, part);
    };
    for (const operation of operations) {
      const { request, reply } = operation.document(operation, recordTypes);
      const schemas = { ...request?.schemas, ...reply.schemas };
      for (const [name, schema] of Object.entries(schemas)) requireSame(name, schema);
      for (const error of operation.errors) requireSame(`error ${error.name}`, error);
    }
    assert.ok(known.size > recordTypes.length);
  });
});

describe("operations of the document", () => {
  it("are those of the route table, under its names", () => {
    const inTable = operations.map(({ method, path, name }) => `${method} ${path} ${name}`);
    const inDocument = eachOperation(document)
      .filter(({ method, operation }) => method !== "HEAD" && !operation.tags.includes("Service"))
      .map(({ method, path, operation }) => `${method} ${path} ${operation.operationId}`);
    assert.deepEqual(inDocument.toSorted(), inTable.toSorted());
  });

  it("have unique names", () => {
    const names = eachOperation(document).map(({ operation }) => operation.operationId);
    assert.equal(new Set(names).size, names.length);
  });

  it("include HEAD for each GET, without content", () => {
    for (const { path } of operations.filter(({ method }) => method === "GET")) {
      for (const response of Object.values(operationAt("HEAD", path).responses)) {
        assert.ok(!("content" in response) && !("$ref" in response), path);
      }
    }
  });

  it("show every status that the table gives them", () => {
    for (const operation of operations) {
      const { method, path, success, errors, body } = operation;
      const shown = Object.keys(operationAt(method, path).responses).map(Number);
      const slow = body === "none" ? [] : [408];
      const usual = [400, 401, 403, 429, 431, 500, 503];
      const stated = errors.map((error) => error.status);
      const empty = Object.keys(operation.document(operation, recordTypes).empty ?? {}).map(Number);
      const all = new Set([success, ...empty, ...usual, ...slow, ...stated]);
      assert.deepEqual(shown.toSorted(byNumber), [...all].toSorted(byNumber), `${method} ${path}`);
    }
  });

  it("name a scope that exists, or take an API key", () => {
    for (const { method, path, permission } of operations) {
      const { description, security } = operationAt(method, path);
      const scope = /Scope: `([^`]+)`/.exec(description)?.[1];
      if (permission === undefined) assert.deepEqual(security, [{ ApiKey: [] }]);
      else
        assert.ok(
          allScopes.some((known) => known === scope),
          `${method} ${path}: ${scope}`,
        );
    }
  });

  it("take preferences wherever they accept a list, and only there", () => {
    for (const { method, path, body } of operations) {
      const { parameters = [] } = operationAt(method, path);
      const lists = body === "list" || body === "either";
      assert.equal(JSON.stringify(parameters).includes("parameters/Prefer"), lists, path);
    }
  });
});

describe("replies of the document", () => {
  it("all have the header X-Request-Id", () => {
    for (const [name, response] of allResponses()) {
      assert.ok("X-Request-Id" in response.headers, name);
    }
  });

  it("have the body Error in every error", () => {
    for (const [name, { content = {} }] of Object.entries(document.components.responses)) {
      const schemas = Object.entries(content).map(([type, { schema }]) => [type, schema["$ref"]]);
      assert.deepEqual(schemas, [["application/json", "#/components/schemas/Error"]], name);
    }
  });
});

function allResponses(): readonly (readonly [name: string, response: ResponseObject])[] {
  const own = eachOperation(document).flatMap(({ operation }) =>
    Object.entries(operation.responses).flatMap(([status, response]) =>
      "$ref" in response ? [] : [[`${operation.operationId} ${status}`, response] as const],
    ),
  );
  return [...own, ...Object.entries(document.components.responses)];
}

function byNumber(one: number, other: number): number {
  return one - other;
}

describe("examples", () => {
  const compile = makeCompiler(document);
  const closed = makeCompiler(document, { closed: true });

  for (const { where, schema, value } of examplesOf(document)) {
    it(`is valid: ${where}`, () => {
      for (const validate of [compile(schema), closed(schema)]) {
        assert.ok(validate(value), JSON.stringify(validate.errors));
      }
    });
  }

  it("exist for every body", () => {
    for (const { where, media } of mediaTypesOf(document)) {
      if (where.includes("readOpenApi")) continue;
      assert.ok(Object.keys(media.examples ?? {}).length > 0, where);
    }
  });
});

describe("names of schemas", () => {
  it("are those of the interface", () => {
    const { schemas } = document.components;
    const named = [
      "AccessTokenRequest",
      "AccessTokenScope",
      "AccessToken",
      "TransactionDeletionRequest",
      "TransactionDeletionAccepted",
      "RiskAssessmentExistence",
      "Error",
      "ErrorItem",
      ...recordTypes.map(componentName),
    ];
    for (const name of named) assert.ok(name in schemas, name);
  });
});
