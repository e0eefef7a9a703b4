// What the demonstration sends: transactions and risk assessments, as the API takes them, one after the other.

import type { Payload } from "../../domain/record-type.ts";

export interface Source {
  /** How many there are. */
  readonly count: number;
  read(): AsyncIterable<Payload>;
}

export interface DemoInput {
  readonly transactions: Source;
  readonly assessments: Source;
  /** Where they come from, for the report. */
  readonly origin: string;
}
