// docs/reference/events.md: every event that leaves the service, from domain/event.ts.

import { securityEvents, trailEvents } from "../../src/domain/event.ts";
import { code, generatedNote, page, table } from "./markdown.ts";

export function renderEvents(): string {
  return page(
    "# Events",
    generatedNote,
    "What is sent to the receivers of [events](../guides/events.md). In syslog, the message is a JSON object with `event` and\n" +
      "the fields; over OTLP, each field is an attribute with `sluice.` before its name, and the event name is that of the\n" +
      "event, with the same before it.",
    "## The audit trail",
    "An event for each entry, in order. Its fields: `entry_no` and `store_id`, which together name the entry, `actor` (an\n" +
      "operator, a key, or a part of the service), `organization_id`, `subject`, and those of the table. A field without a\n" +
      "value is left out.",
    table(
      ["event", "what has happened", "`subject`", "further fields"],
      Object.entries(trailEvents).map(([action, event]) => [
        code(action),
        event.summary,
        "subject" in event ? event.subject : "left out",
        (event.detail ?? []).map((field) => code(`detail.${field}`)).join(", "),
      ]),
    ),
    "## What is counted",
    "Once a minute, if anything has happened: `count` in the time from `from` until `until`, in this process, and `by`.",
    table(
      ["event", "what is counted", "`by`"],
      Object.entries(securityEvents).map(([name, { summary, by }]) => [code(name), summary, by]),
    ),
  );
}
