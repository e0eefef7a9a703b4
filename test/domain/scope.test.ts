// Which scopes exist, and what several of them include. What each includes is tested at every operation.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  allScopes,
  changeScopes,
  coveredScopes,
  describeScopes,
  recordScopes,
  families,
  isScope,
  type Scope,
} from "../../src/domain/scope.ts";

function covered(scopes: readonly Scope[], strict = false): readonly string[] {
  return [...coveredScopes(scopes, strict)].sort();
}

describe("scopes", () => {
  it("are read and write of each family, delete of three, and two of the feed of changes", () => {
    assert.equal(recordScopes.length, 2 * families.length + 3);
    assert.deepEqual(allScopes, [...recordScopes, ...changeScopes]);
    assert.equal(new Set(allScopes).size, allScopes.length);
    const deletes = allScopes.filter((scope) => scope.endsWith(":delete"));
    assert.deepEqual(deletes, ["transactions:delete", "person:delete", "company:delete"]);
  });

  it("are shown by a name if they are all, or all of records", () => {
    assert.equal(describeScopes(allScopes, ","), "all");
    assert.equal(describeScopes(recordScopes, ","), "all of records");
    assert.equal(describeScopes(["person:read", "changes:read"], ","), "person:read,changes:read");
  });

  it("are recognized by their exact names only", () => {
    for (const scope of allScopes) assert.ok(isScope(scope));
    for (const text of [
      "",
      "transactions",
      "transaction:write",
      "screening:delete",
      "Person:read",
      "toString",
    ]) {
      assert.equal(isScope(text), false, text);
    }
  });
});

describe("the permissions of a scope", () => {
  it("add up over several scopes, in any order", () => {
    const both = covered(["transactions:write", "person:delete"], true);
    assert.deepEqual(both, ["person:delete", "transactions:read", "transactions:write"]);
    assert.deepEqual(covered(["person:delete", "transactions:write"], true), both);
    assert.deepEqual(covered(allScopes, true), [...allScopes].sort());
    assert.deepEqual(covered([]), []);
  });
});
