// What is held on a person or a company, as the command line prints it.

import { renderTable } from "./table.ts";

type Count = readonly [name: string, lines: number];

export function describeCounts(counts: readonly Count[]): string {
  return renderTable(
    [
      { title: "type", cell: ([name]: Count) => name },
      { title: "records", cell: ([, lines]: Count) => String(lines) },
    ],
    counts,
  );
}
