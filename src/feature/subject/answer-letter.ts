// The answer to an authority as a letter: what the answer says, with words and days for people. It has the name that
// the authority asked for, which is not stored, and how it matches, and no other content than the answer.

import { erasuresMax, type Erasure, type SubjectAnswer } from "./answer-subject.ts";
import { productsMax, type StatedValue } from "./own-record.ts";
import type { Letter, Part } from "./sheet.ts";
import { showText, type Texts } from "./texts.ts";

type Asked = Readonly<Partial<Record<"name" | "match", string | undefined>>>;

const matches = ["exact", "partial", "former", "similar", "other"] as const;

/** `asked`: the name that the authority asked for, and how it and those of the record match. */
export function writeAnswer(answer: SubjectAnswer, texts: Texts, asked: Asked = {}): Letter {
  const { organization_name: name, answered_at: at } = answer;
  const match = matches.find((one) => asked.name !== undefined && one === asked.match);
  return {
    title: texts.say("answer.title"),
    organizationName: name,
    at: Date.parse(at),
    facts: [
      [texts.say("answer.inquiry"), showText(answer.reason)],
      [texts.say("sheet.organization"), showText(`${name} (${answer.organization_id})`)],
      [texts.say("answer.name"), asked.name && showText(asked.name)],
      [texts.say("answer.recorded"), answer.name === null ? undefined : showText(answer.name)],
      [texts.say("answer.born"), answer.born === null ? undefined : texts.date(answer.born)],
      [texts.say("answer.match"), match && texts.say(`answer.match_${match}`)],
      [texts.say("answer.kind"), texts.type(answer.resource_type)],
      [texts.say("sheet.id"), showText(answer.resource_id)],
      [texts.say("answer.by"), showText(answer.answered_by)],
    ],
    opening: texts.say("answer.opening"),
    parts: [
      describeRelationship(answer, texts),
      describeRecords(answer, texts),
      describeErasures(answer.erased, "answer.erasures", texts),
      describeErasures(answer.to_be_erased, "answer.open", texts),
    ],
    end: describeScope(answer, texts),
  };
}

function describeRelationship(answer: SubjectAnswer, texts: Texts): Part {
  const { from, until, relationship } = answer;
  const row = (what: string, value: string, stated: StatedValue): readonly string[] => [
    what,
    value,
    texts.date(stated.first_stated),
    texts.date(stated.last_stated),
  ];
  return {
    heading: texts.say("answer.relationship"),
    lines: [
      texts.say(`answer.${relationship}`),
      from !== null && texts.say("answer.from", { from: texts.date(from) }),
      until !== null && texts.say("answer.until", { until: texts.date(until) }),
    ],
    table: {
      columns: texts.sayAll("answer.what", "answer.value", "answer.first", "answer.last"),
      rows: [
        ...answer.statuses.map((one) =>
          row(texts.say("answer.status"), texts.value("account_status", one.value), one),
        ),
        ...answer.products.map((one) =>
          row(texts.say("answer.product"), texts.value("product_type", one.value), one),
        ),
        ...answer.roles.map((one) => row(texts.say("answer.role"), texts.field(one.value), one)),
      ],
    },
  };
}

function describeRecords({ records }: SubjectAnswer, texts: Texts): Part {
  return {
    heading: texts.say("answer.records"),
    table: {
      columns: texts.sayAll("sheet.type", "sheet.records", "answer.from_date", "answer.to_date"),
      rows: records.map(({ resource_type: type, records: count, first_seen, last_seen }) => [
        texts.type(type),
        texts.number(count),
        texts.date(first_seen),
        texts.date(last_seen),
      ]),
    },
  };
}

function describeErasures(
  erasures: readonly Erasure[],
  heading: "answer.erasures" | "answer.open",
  texts: Texts,
): Part {
  const isDone = heading === "answer.erasures";
  const columns = texts.sayAll("answer.erased_what", "sheet.requested");
  const done = texts.sayAll("answer.erased_on", "answer.receipt");
  return {
    heading: texts.say(heading),
    table: {
      columns: isDone ? [...columns, ...done] : columns,
      rows: erasures.map(({ of, requested_at, completed_at = "", receipt_no }) => {
        const row = [texts.say(`answer.of_${of}`), texts.date(requested_at)];
        if (!isDone) return row;
        const receipt = receipt_no === undefined ? "–" : texts.number(receipt_no);
        return [...row, texts.date(completed_at), receipt];
      }),
    },
  };
}

function describeScope(answer: SubjectAnswer, texts: Texts): readonly (string | false)[] {
  const { complete, confidential, organization_closed_at: closedAt } = answer;
  const most = { products: productsMax, deletions: erasuresMax };
  return [
    texts.say("answer.scope"),
    closedAt !== null && texts.say("answer.scope_closed", { closed: texts.date(closedAt) }),
    !complete && texts.say("answer.scope_cut", most),
    texts.say(confidential ? "answer.scope_confidential" : "answer.scope_public"),
  ];
}
