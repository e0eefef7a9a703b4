// Another process with its own store, which does what it is told, one thing after another, until it
// is killed.

import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { atEnd } from "../../support/at-end.ts";

export interface Child {
  /**
   * Sends a command, and returns its result. Rejects if it failed.
   */
  ask(what: string, argument?: string): Promise<unknown>;
  /** SIGKILL, whatever it is doing. */
  kill(): Promise<void>;
  /** Has it close its store and end by itself. */
  end(): Promise<void>;
}

/** Starts the process; resolves when its store is open. */
export async function startChild(
  test: TestContext,
  role: "serve" | "command",
  path: string,
): Promise<Child> {
  const child = fork(join(import.meta.dirname, "child-process.ts"), [role, path]);
  const gone = once(child, "exit");
  let waiting: PromiseWithResolvers<unknown> | undefined;
  child.on("message", (message: Answer) => {
    if ("error" in message) waiting?.reject(new Error(message.error));
    else waiting?.resolve(message.value);
  });
  child.on("exit", () => waiting?.reject(new Error("the process has ended")));
  function answer(): Promise<unknown> {
    waiting = Promise.withResolvers();
    return waiting.promise;
  }
  async function kill(): Promise<void> {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await gone;
  }
  atEnd(test, kill);
  await answer();
  return {
    kill,
    ask(what, argument) {
      child.send({ what, argument });
      return answer();
    },
    async end() {
      child.send({ what: "end" });
      await gone;
    },
  };
}

/** To the last command. */
export type Answer = { readonly value: unknown } | { readonly error: string };
