// Paths of fields in errors.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { limits } from "../../../src/domain/limits.ts";
import { fieldPath, itemPath } from "../../../src/domain/validation/path.ts";

describe("a path", () => {
  it("joins names with dots, and appends indexes", () => {
    assert.equal(fieldPath("", "amount"), "amount");
    assert.equal(
      fieldPath(itemPath(fieldPath(itemPath("", 3), "addresses"), 0), "type"),
      "[3].addresses[0].type",
    );
  });

  it("quotes an empty name, and truncates a long one", () => {
    const longest = "x".repeat(limits.idCharactersMax);
    assert.equal(fieldPath("a", ""), 'a.""');
    assert.equal(fieldPath("a", longest), `a.${longest}`);
    assert.equal(fieldPath("a", `${longest}y`), `a.${longest}…`);
  });
});
