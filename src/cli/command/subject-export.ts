// `sluice subject export`

import { resolve } from "node:path";
import { beginSubject } from "../../actions/record/read-subject.ts";
import { readConfig } from "../../settings/config.ts";
import { requireOutsideData } from "../../data-folder/data-folder.ts";
import { noteUnfinished, unfinishedPath } from "../../data-folder/unfinished-files.ts";
import { defineCommand, required } from "../command.ts";
import { subjectArguments, subjectOptions } from "../input/subject.ts";
import { text } from "../input/kinds.ts";
import { requireOutputFile } from "../input/output-file.ts";
import { makeBulkProgress } from "../output/bulk-progress.ts";
import { describeCounts } from "../output/subject-view.ts";
import { runUntilStopped } from "../stop-signal.ts";
import { bulkHeap, limitHeap } from "../v8-flags.ts";

export const subjectExport = defineCommand({
  name: "subject export",
  summary: "Export everything that is held on a person or a company, as a folder.",
  details:
    "For a request for access or portability: the record with its history, everything that belongs to it or mentions it, its " +
    "transactions with their checks and alerts, and its deletion requests, one NDJSON file for each type, with a page that " +
    "explains them. Confidential types and legal holds are left out unless an officer asks for them. The folder must not " +
    "exist; only its owner can open it. The audit trail records who exported whom, and when.",
  examples: [
    "sluice subject export person person-81 --organization acme --output person-81",
    "sluice subject export company co-7 --organization acme --output co-7 --include-confidential",
  ],
  rights: ["subject.export"],
  arguments: subjectArguments,
  options: {
    ...subjectOptions,
    output: required(text("FOLDER"), "Folder to create."),
  },
  run: async (context, { type, id, organization, includeConfidential, output }) => {
    const path = resolve(output);
    const config = readConfig(context.environment);
    requireOutsideData(config, path);
    requireOutputFile(path, { replace: false, advice: "Name another folder." });
    limitHeap(bulkHeap);
    const request = {
      organizationId: organization,
      resourceType: type,
      resourceId: id,
      confidential: includeConfidential,
    };
    const { counts } = await runUntilStopped((stopping) =>
      context.withApp(async (app) => {
        await beginSubject(app, "subject.export", request);
        const unfinished = unfinishedPath(path);
        const { done } = await noteUnfinished(config.dataDir, unfinished);
        try {
          const name = "subject export";
          const progress = makeBulkProgress(context.err, { json: context.json, name });
          const { SubjectArchive } = await import("../../bulk/subject/archive.ts");
          const { exportSubject } = await import("../../bulk/subject/export-subject.ts");
          const archive = new SubjectArchive(path, unfinished);
          return await exportSubject(app, request, { archive, progress, stopping });
        } finally {
          await done();
        }
      }),
    );
    return {
      json: {
        resource_type: type,
        resource_id: id,
        organization_id: organization,
        output,
        confidential: includeConfidential,
        lines: Object.fromEntries(counts),
      },
      text: `Wrote ${output}; open index.html in it.\n${describeCounts(counts)}`,
    };
  },
});
