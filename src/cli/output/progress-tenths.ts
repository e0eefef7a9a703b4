// Tells on standard error how far something has come, a line each tenth; nothing for scripts.

import type { Context } from "../command.ts";

export function printTenths(
  { err, json }: Context,
  what: string,
): (done: number, all: number) => void {
  let told = 0;
  return (done, all) => {
    const tenth = all === 0 ? 10 : Math.min(10, Math.floor((done / all) * 10));
    if (json || tenth === told) return;
    told = tenth;
    err.write(`${what} ${tenth * 10}%\n`);
  };
}
