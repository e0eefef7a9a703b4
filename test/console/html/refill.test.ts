// Forms that are shown again after they were refused.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refillForm } from "../../../src/console/html/refill.ts";

const page = `<div class="title"><h1>Page</h1></div><details><summary>Add</summary>
<form method="post" action="/console/a?x=1&amp;y=2"><input type="hidden" name="key" value="kept">
<label>Reason <input name="reason" value="old" required></label><input type="checkbox" name="scope" value="a" checked>
<input type="checkbox" name="scope" value="b"><input type="file" name="file">
<select name="mode"><option value="add">add</option><option value="update" selected>update</option></select>
<textarea name="text">before</textarea></form></details><form method="post" action="/console/b"><input name="reason"></form>`;

const typed = (fields: Record<string, string>) => new URLSearchParams(fields);

describe("a form that was refused", () => {
  const form = typed({
    key: "forged",
    reason: `"><script>$&`,
    scope: "b",
    mode: "add",
    text: "<b>after",
    file: "x",
  });
  const path = "/console/a?x=1&y=2";
  const message = "It is <wrong>.";

  it("keeps what was typed, escaped, and nothing in hidden fields and files", () => {
    const shown = refillForm(page, { path, form, message, field: undefined });
    assert.match(shown, /<input value="&quot;&gt;&lt;script&gt;\$&amp;" name="reason" required>/);
    assert.match(shown, /name="key" value="kept"/);
    assert.match(shown, /<input type="file" name="file">/);
    assert.match(shown, /<input checked type="checkbox" name="scope" value="b">/);
    assert.match(shown, /<input type="checkbox" name="scope" value="a">/);
    assert.match(shown, /<option selected value="add">/);
    assert.match(shown, /<option value="update">/);
    assert.match(shown, />&lt;b&gt;after<\/textarea>/);
    assert.match(shown, /action="\/console\/b"><input name="reason">/);
  });

  it("has the message at the field that is wrong, or else at its beginning, and is not folded", () => {
    const atField = refillForm(page, { path, form, message, field: "reason" });
    assert.match(atField, /aria-invalid="true" aria-describedby="refused"[^>]*name="reason"/);
    assert.match(
      atField,
      /name="reason" required><\/label><small [^>]*id="refused"[^>]*>It is &lt;wrong/,
    );
    const above = refillForm(page, { path, form, message, field: "elsewhere" });
    assert.match(above, /y=2"><p role="alert" id="refused"[^>]*>It is &lt;wrong/);
    for (const shown of [atField, above]) assert.match(shown, /<details open>/);
  });

  it("is not repeated where it is endless, and its message is above a page that has no such form", () => {
    const endless = typed({ reason: "x".repeat(2_000) });
    const shown = refillForm(page, { path, form: endless, message, field: "reason" });
    assert.doesNotMatch(shown, /xxx/);
    const none = refillForm(page, { path: "/console/none", form, message, field: "reason" });
    assert.match(none, /^<p role="alert"[^>]*>It is &lt;wrong&gt;\.<\/p><div class="title">/);
  });
});
