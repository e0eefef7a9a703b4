// Shows how far a step has come: a bar on a terminal, a line a step elsewhere, nothing when only the result is wanted.

import { WriteStream } from "node:tty";
import { Presets, SingleBar } from "cli-progress";
import type { Output } from "../command.ts";

export interface Progress {
  start(name: string, total: number): void;
  advance(by: number): void;
  finish(seconds: number): void;
  /** Takes down what is on the screen, whatever the state. */
  close(): void;
}

export function makeProgress(output: Output, json: boolean): Progress {
  if (json) return { start: nothing, advance: nothing, finish: nothing, close: nothing };
  return output instanceof WriteStream && output.isTTY ? makeBar(output) : makeLines(output);
}

export const stepNameWidth = 24;

function makeBar(stream: WriteStream): Progress {
  let bar: SingleBar | undefined;
  const close = (): void => {
    bar?.stop();
    bar = undefined;
  };
  return {
    start: (name, total) => {
      bar = new SingleBar(
        {
          stream,
          format: `${name.padEnd(stepNameWidth)} {bar} {percentage}%  {value} of {total}`,
          barsize: 30,
          hideCursor: true,
          gracefulExit: false,
          autopadding: true,
        },
        Presets.shades_classic,
      );
      bar.start(total, 0);
    },
    advance: (by) => bar?.increment(by),
    finish: close,
    close: () => {
      close();
      stream.write("\n");
    },
  };
}

function makeLines(output: Output): Progress {
  let name = "";
  let total = 0;
  return {
    start: (nextName, nextTotal) => {
      name = nextName;
      total = nextTotal;
    },
    advance: nothing,
    finish: (seconds) =>
      output.write(`${name.padEnd(stepNameWidth)} ${total} in ${seconds.toFixed(2)} s\n`),
    close: () => output.write("\n"),
  };
}

function nothing(): void {
  // There is nothing to show.
}
