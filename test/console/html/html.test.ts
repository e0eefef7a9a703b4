// The template helper of pages: whatever a value contains, it is text.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { html } from "../../../src/console/html/html.ts";
import { readFiles } from "../../repository/tree.ts";

const nasty = `</title><script>alert("1")</script>'" onload=x &amp; <!--`;

describe("html", () => {
  it("escapes every value", () => {
    const { text } = html`<p title="${nasty}">${nasty}${[nasty]}</p>`;
    assert.doesNotMatch(text.replace(/^<p title="|">|<\/p>$/g, ""), /[<>"']/);
    assert.equal(html`${"&lt;"}`.text, "&amp;lt;");
  });

  it("inserts what it has made itself, lists, numbers, and nothing for undefined and false", () => {
    const items = ["a", "b"].map((item) => html`<li>${item}</li>`);
    const { text } = html`<ul>
      ${items}${7}${undefined}${false}
    </ul>`;
    assert.equal(text.replaceAll("\n", ""), "<ul><li>a</li><li>b</li>7</ul>");
  });

  it("does not mistake an object with a text for what it has made", () => {
    const forged = { text: "<script>" } as unknown as string;
    assert.throws(() => html`${forged}`);
  });
});

describe("a template", () => {
  // Under another name, so that the formatter does not correct it.
  const tag = html;

  it("must have the values of attributes in quotes", () => {
    assert.throws(() => tag`<a href=${"x"}>`, /double quotes/);
    assert.throws(() => tag`<a title="b" href='${"x"}'>`, /double quotes/);
    assert.throws(() => tag`<a ${"onload=x"}>`, /double quotes/);
    const { text } = tag`<a title="${"b"}" href="/?a=${"c"}&b=${"d"}">`;
    assert.equal(text, '<a title="b" href="/?a=c&b=d">');
  });

  it("has no indentation in the page", () => {
    assert.equal(tag`<p>\n    ${"  a\n  b"}\n</p>`.text, "<p>\n  a\n  b\n</p>");
  });
});

describe("the templates of the console", () => {
  it("have no inline script, style or handler", () => {
    for (const { path, text } of readFiles("src/console/**/*.ts")) {
      assert.doesNotMatch(text, /<[a-z][^>`]*\s(?:on[a-z]+|style)="/, path);
      assert.doesNotMatch(text, /<style|<script(?! src)/, path);
    }
  });
});
