// The template helper of pages: whatever a value contains, it is text. The names of organizations on pages: filled in
// when a page is shown, from what the templates have marked alone. Forms that are shown again after they were refused.
// How the details of entries of the audit trail are shown: nothing as JSON or as a number of milliseconds, and nothing
// that was sent as markup. The values of records as people write them. How numbers of records are written.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { html, renderTable } from "../../../src/console/html/html.ts";
import { readFiles } from "../../repository/tree.ts";
import {
  nameOrganizations,
  organizationList,
  renderOrganization,
  nameKeys,
  renderActor,
} from "../../../src/console/html/party.ts";
import type { Organization } from "../../../src/domain/access.ts";
import { refillForm } from "../../../src/console/html/refill.ts";
import { renderDetail } from "../../../src/console/page/audit.ts";
import { describeValue, inWords } from "../../../src/console/html/typed-value.ts";
import { formatCounts, formatDuration } from "../../../src/console/html/time.ts";

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

describe("a table", () => {
  it("has no column in which no row has anything", () => {
    const rows = [{ at: undefined }, { at: 5 }];
    const heads = (shown: typeof rows) =>
      renderTable(
        [
          ["Name", () => "x", "head"],
          ["At", ({ at }) => html`<bdi>${at ?? "–"}</bdi>`],
          ["By", () => html`<input name="by" />`],
        ],
        shown,
      ).text.match(/(?<=<th scope="col"[^>]*>)\w+/g);
    assert.deepEqual(heads(rows), ["Name", "At", "By"]);
    assert.deepEqual(heads(rows.slice(0, 1)), ["Name", "By"]);
    assert.deepEqual(heads([]), ["Name", "At", "By"]);
  });
});

describe("a duration", () => {
  it("has its largest unit, and is less than a second where no unit fits", () => {
    const texts = [0, 999, 1_000, 7_200_000].map(formatDuration);
    assert.deepEqual(texts, ["less than a second", "less than a second", "1 second", "2 hours"]);
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

const open = { organizationId: "org_1", name: "A & B <i>" } as Organization;
const closed = { organizationId: "org_2", name: "Closed", closedAt: 1 } as Organization;
const list = async () => [open, closed];

describe("organizations on a page", () => {
  it("are shown by name with the id beside it, or by the id alone", async () => {
    const page = html`${renderOrganization("org_1")}, ${renderOrganization("org_none")}`.text;
    assert.equal(
      await nameOrganizations(page, list),
      '<bdi>A &amp; B &lt;i&gt;</bdi> <small class="id">org_1</small>, ' +
        '<span data-organization="org_none"><bdi>org_none</bdi></span>',
    );
  });

  it("are named only where a template says so, not where a value looks like it", async () => {
    const page = html`${renderOrganization("org_1").text} ${renderOrganization("org_1")}`.text;
    const named = await nameOrganizations(page, list);
    assert.equal(named.match(/A &amp; B/g)?.length, 1);
    assert.match(named, /&lt;span data-organization=&quot;org_1&quot;&gt;/);
  });

  it("are offered by name where a field asks for one that is open, and are not read otherwise", async () => {
    const field = html`<input list="organizations" /> ${organizationList}`.text;
    const offered = await nameOrganizations(field, list);
    assert.match(offered, /<option value="A &amp; B &lt;i&gt;">org_1<\/option>/);
    assert.doesNotMatch(offered, /org_2/);
    const plain = html`<p>Nothing</p>
      ${organizationList}`.text;
    assert.equal(await nameOrganizations(plain, () => assert.fail("was read")), plain);
  });
});

describe("keys on a page", () => {
  it("are shown by name with the id beside it, and people by name", async () => {
    const actors = ["key_1", "key_2", "anna"].map(renderActor);
    assert.equal(
      await nameKeys(html`${actors}`.text, async (id) =>
        id === "key_1" ? "core <feed>" : undefined,
      ),
      '<bdi>core &lt;feed&gt;</bdi> <small class="id">key_1</small><bdi>key_2</bdi><bdi>anna</bdi>',
    );
  });
});

const refused = `<div class="title"><h1>Page</h1></div><details><summary>Add</summary>
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
    const shown = refillForm(refused, { path, form, message, field: undefined });
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
    const atField = refillForm(refused, { path, form, message, field: "reason" });
    assert.match(atField, /aria-invalid="true" aria-describedby="refused"[^>]*name="reason"/);
    assert.match(
      atField,
      /name="reason" required><\/label><small [^>]*id="refused"[^>]*>It is &lt;wrong/,
    );
    const above = refillForm(refused, { path, form, message, field: "elsewhere" });
    assert.match(above, /y=2"><p role="alert" id="refused"[^>]*>It is &lt;wrong/);
    for (const shown of [atField, above]) assert.match(shown, /<details open>/);
  });

  it("is not repeated where it is endless, and its message is above a page that has no such form", () => {
    const endless = typed({ reason: "x".repeat(2_000) });
    const shown = refillForm(refused, { path, form: endless, message, field: "reason" });
    assert.doesNotMatch(shown, /xxx/);
    const none = refillForm(refused, { path: "/console/none", form, message, field: "reason" });
    assert.match(none, /^<p role="alert"[^>]*>It is &lt;wrong&gt;\.<\/p><div class="title">/);
  });
});

const show = (detail: Readonly<Record<string, unknown>>) => renderDetail(detail).text;

describe("the details of an entry of the trail", () => {
  it("have names in words", () => {
    const names = ["graceSeconds", "grace_seconds", "organizationId", "by"];
    assert.deepEqual(names.map(inWords), [
      "Grace seconds",
      "Grace seconds",
      "Organization ID",
      "By",
    ]);
  });

  it("show times as times, types as titles, and deletions as links", () => {
    const page = show({
      dueAt: Date.UTC(2026, 5, 1, 15, 10),
      resourceType: "customer_sar",
      deletion: "del_abc",
      waitedMs: 7_200_000,
      keepDays: 1_827,
    });
    for (const part of [
      'class="exact" datetime="2026-06-01T15:10:00.000Z"',
      "Customer SAR",
      'href="/console/deletion/del_abc"',
      "2 hours",
      "1,827",
    ]) {
      assert.ok(page.includes(part), `${part} in ${page}`);
    }
    assert.doesNotMatch(page, /178\d{10}/);
  });

  it("show lists and parts in words, and say what is left out", () => {
    const scopes = Array.from({ length: 12 }, (_, index) => `scope:${index}`);
    const page = show({ scopes, floor: { keepDays: 3, redactable: false }, ends: null, none: [] });
    assert.match(page, /scope:9.* and 2 more/);
    assert.match(page, /kept at least 3 days.*may be redacted .*no/);
    const rule = { keepDays: 3, countedFrom: "last_seen", deleteAfterDays: 0 };
    const nested = show({ act: "retention.set", parameters: { resourceType: "person", rule } });
    assert.match(nested, /What was proposed<\/dt>\s*<dd>retention rule/);
    assert.match(
      nested,
      /record type Person, rule kept at least 3 days, counted from .*>last seen<.*, erased after none/,
    );
    for (const text of [page, nested]) assert.doesNotMatch(text, /\{|\[/);
    const many = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`f${index}`, index]));
    assert.match(show(many), /and 3 more in the export/);
  });

  it("show digests shortened, with the whole in the tooltip, and keys as those who acted", () => {
    const digest = "0123456789ab".padEnd(64, "c");
    const page = show({ request: digest, requester: "key_1" });
    assert.match(page, /Digest of the request<\/dt>\s*<dd><bdi [^>]*>0123456789ab…<\/bdi>/);
    assert.ok(page.includes(`title="${digest}"`) && page.includes('data-key="key_1"'));
  });

  it("say what a change has made new", () => {
    const page = renderDetail({ name: "Acme" }, "organization.change").text;
    assert.match(page, /<small>New: name<\/small> <bdi class="value">Acme</);
  });

  it("are not altered where somebody has typed them, and settings are not rounded", () => {
    const page = show({ name: "acme_bank", reason: "court_order", deletionGraceSeconds: 129_600 });
    for (const part of [">acme_bank<", ">court_order<", "36 hours"]) {
      assert.ok(page.includes(part), `${part} in ${page}`);
    }
    assert.match(show({ deletionGraceSeconds: 0 }), / none$/);
  });

  it("are escaped and bounded", () => {
    const page = show({ reason: `<script>${"x".repeat(5_000)}` });
    assert.ok(page.includes("&lt;script&gt;") && page.length < 400, page);
    assert.equal(show({}), "–");
  });
});

describe("a value on the page of a record", () => {
  it("is an address, yes or no, or a text, and JSON if it is anything else", () => {
    const address = {
      country: "DE",
      lines: ["Example Street 1", "c/o B"],
      postal_code: "10115",
      city: null,
    };
    const shown: readonly (readonly [value: unknown, text: string])[] = [
      ["Ada", "Ada"],
      [false, "no"],
      [address, "Example Street 1\nc/o B\n10115\nDE"],
      [{ ...address, planet: "Earth" }, JSON.stringify({ ...address, planet: "Earth" })],
      [{ city: 5 }, '{"city":5}'],
      [{}, "{}"],
      [[address], JSON.stringify([address])],
      [null, "null"],
      [1.5, "1.5"],
    ];
    for (const [value, text] of shown) assert.equal(describeValue(value), text);
  });
});

describe("numbers by type", () => {
  it("are written in words, and say where the count stopped", () => {
    const counts = { person: 12, transaction: 100_001 };
    assert.equal(formatCounts(counts), "Person 12, Transaction 100,001");
    assert.equal(formatCounts(counts, 100_001), "Person 12, Transaction 100,001");
    assert.equal(formatCounts(counts, 100_000), "Person 12, Transaction more than 100,000");
  });
});
