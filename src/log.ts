// Structured logs on standard error, one JSON line for each event. They never contain a credential or record content:
// no such value is passed to the log, and the redaction below is the second line of defence. A log that can't be
// written never delays or ends the service: its lines are lost, and counted.

import { type Logger, pino } from "pino";

export type { Logger };

const redact = {
  paths: ["authorization", "*.authorization", "api_key", "*.api_key", "token", "*.token", "reason"],
  censor: "[redacted]",
};

/** What may wait for a slow reader of a pipe. Files and terminals are written at once. */
const waitingBytesMax = 1_024 * 1_024;

let lost = 0;

/** How many lines this process could not write. */
export function linesLost(): number {
  return lost;
}

export function makeLog(level: string, write: (line: string) => void = writeLine): Logger {
  const options = {
    level,
    redact,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, { write });
}

/** The errors of the stream itself are handled in `cli/main.ts`. */
function writeLine(line: string): void {
  const { stderr } = process;
  if (stderr.writableLength > waitingBytesMax) {
    lost += 1;
    return;
  }
  stderr.write(line, (error) => {
    if (error) lost += 1;
  });
}
