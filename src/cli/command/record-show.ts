// `sluice record show`

import { type RecordDetails, showRecord } from "../../actions/record/show-record.ts";
import { defineStoreCommand } from "../command.ts";
import { organizationOfRecord, recordArguments, recordKeyOf } from "../input/kinds.ts";
import { formatTime, renderFields, renderTable } from "../output/table.ts";
import { listedHolds } from "../../noun/hold.ts";

export const recordShow = defineStoreCommand({
  name: "record show",
  summary:
    "Show a record: its latest state, every change in order of arrival, and its legal holds.",
  details: "The audit trail records who used this, and when.",
  examples: ["sluice record show transaction tx-2026-000417 --organization acme"],
  rights: ["record.show"],
  arguments: recordArguments,
  options: { organization: organizationOfRecord },
  run: async (app, given) => {
    const shown = await showRecord(app, recordKeyOf(given));
    return {
      json: {
        state: shown.state,
        changes: shown.changes.map((change) => ({
          received_at: formatTime(change.receivedAt),
          payload: change.payload,
        })),
        first_seen: shown.firstSeen,
        last_seen: shown.lastSeen,
        ...(shown.brokenRules.length === 0 ? {} : { broken_rules: shown.brokenRules }),
        ...(shown.holds.length === 0
          ? {}
          : { holds: shown.holds.map((one) => listedHolds.json(one)) }),
      },
      text: describe(shown),
    };
  },
});

function describe(shown: RecordDetails): string {
  const seen = renderFields([
    ["first seen", shown.firstSeen],
    ["last seen", shown.lastSeen],
  ]);
  const state = renderFields(
    Object.entries(shown.state).map(([name, value]) => [name, compact(value)]),
  );
  const changes = renderTable(
    [
      ["received", ({ receivedAt }: RecordDetails["changes"][number]) => formatTime(receivedAt)],
      ["payload", ({ payload }) => JSON.stringify(payload)],
    ],
    shown.changes,
  );
  const rules = shown.brokenRules.map((rule) => `\nThe state breaks a rule: ${rule}`).join("");
  const holds = shown.holds.length === 0 ? "" : `\n\nHolds\n${listedHolds.table(shown.holds)}`;
  return `${seen}\n\nLatest state\n${state}${rules}\n\nChanges\n${changes}${holds}`;
}

function compact(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
