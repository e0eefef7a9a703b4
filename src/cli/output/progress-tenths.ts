// Prints progress on standard error, one line per tenth; nothing with --json.

import type { Context } from "../command.ts";

export function printTenths(
  { err, json }: Context,
  what: string,
): (done: number, all: number) => void {
  let printed = 0;
  return (done, all) => {
    const tenth = all === 0 ? 10 : Math.min(10, Math.floor((done / all) * 10));
    if (json || tenth === printed) return;
    printed = tenth;
    err.write(`${what} ${tenth * 10}%\n`);
  };
}
