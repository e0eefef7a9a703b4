// `sluice changes`: what operators see of the feed.

import { findOrganization } from "../../actions/access/find-organization.ts";
import type { App } from "../../actions/app.ts";
import { UsageError } from "../../actions/operator/operator-error.ts";
import { showing, viewerOf } from "../../actions/operator/viewer.ts";
import { auditAccess } from "../../actions/trail/audit-access.ts";
import { standardOutput } from "../../bulk/export/sink.ts";
import { limits } from "../../domain/limits.ts";
import { recordTypes } from "../../domain/record-types.ts";
import { defineStoreCommand, flag, required, withDefault } from "../../cli/command.ts";
import { confidentialOptions, text } from "../../cli/input/kinds.ts";
import { replaceControls } from "../../cli/output/control-characters.ts";
import { makeSameStoreCheck } from "../../cli/same-store.ts";
import { runUntilStopped } from "../../cli/stop-signal.ts";
import { ChangeFeed } from "./change-feed.ts";
import { readStart } from "./position.ts";
import type { FeedPage, FeedView } from "./read-changes.ts";

const changes = defineStoreCommand({
  name: "changes",
  summary: "Print the changes of an organization in the order of arrival.",
  details:
    "Each line is a change: when it arrived, what happened, and the id of the record; with `--json` an event as `GET /v2/changes` " +
    "returns it. After each part a line says where the next one begins, for `--from`. The audit trail records who used this.",
  examples: [
    "sluice changes --organization acme",
    "sluice changes --organization acme --from now --follow --json",
  ],
  rights: ["records.export"],
  options: {
    organization: required(text("ID"), "Organization whose changes are printed."),
    from: withDefault(
      text("OFFSET"),
      "Where to begin: -1 for the beginning, now for the end, or an offset that was printed.",
      "-1",
    ),
    follow: flag("Wait for further changes until interrupted."),
    content: flag("Also print each change itself."),
    ...confidentialOptions,
  },
  run: async (app, { organization, from, follow, content, includeConfidential }, context) => {
    await findOrganization(app, organization);
    const view = await viewOf(showing(app, { includeConfidential }), organization, content);
    const detail = { changes: true, content, from };
    await auditAccess(app, "records.export", {
      organizationId: organization,
      subject: organization,
      detail,
    });
    const cipher = await app.offsets();
    const start = readStart(from, { organizationId: organization, cipher, refuse });
    const reading = { view, from: start, bytesMax: limits.pageBytesMax };
    const sink = standardOutput(context.out);
    const check = await makeSameStoreCheck(app, context);
    const feed = new ChangeFeed(app, cipher);
    await runUntilStopped(async (signal) => {
      const since = performance.now();
      const waiting = { until: undefined, signal, since, check };
      for await (const page of feed.follow(reading, waiting)) {
        await sink.write(describe(page, context.json));
        if (page.upToDate && !follow) break;
        // The next page may take long to arrive.
        if (page.upToDate) await sink.finish();
      }
    });
    await sink.finish();
    return undefined;
  },
});

async function viewOf(app: App, organizationId: string, content: boolean): Promise<FeedView> {
  const knows = await viewerOf(app).knowledge(organizationId);
  const types = recordTypes
    .map(({ resourceType }) => resourceType)
    .filter((resourceType) => knows({ organizationId, resourceType }));
  return { organizationId, readable: types, types, content };
}

const refuse = () =>
  new UsageError("--from must be -1, now, or an offset that this command has printed.");

type Event = Readonly<Record<string, unknown>>;

function describe({ list, offset }: FeedPage, json: boolean): string {
  const events = JSON.parse(list.toString()) as readonly Event[];
  const lines = events.map((event) => (json ? JSON.stringify(event) : describeEvent(event)));
  const last = json ? JSON.stringify({ next_offset: offset }) : `Next: --from ${offset}`;
  return [...lines, last, ""].join("\n");
}

function describeEvent({ time, type, subject, data }: Event): string {
  const content = data === undefined ? "" : ` ${JSON.stringify(data)}`;
  return replaceControls(`${String(time)} ${String(type)} ${String(subject)}${content}`);
}

export const heading = "Records";

export const commands = [changes];
