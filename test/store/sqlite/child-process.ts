// The program of a child process: opens the store, then does what it is told. It ends only when it
// is killed or told to.

import type { StoreOptions } from "../../../src/store/interface/store.ts";
import type { Answer } from "./child.ts";
import { openTestStore } from "../../support/test-store.ts";

const [role, path] = process.argv.slice(2) as [StoreOptions["role"], string];
const store = await openTestStore(`sqlite:${path}`, { role });

type Act = (argument: string) => Promise<unknown>;

const acts: Readonly<Record<string, Act | undefined>> = {
  add: (id) => store.add("transaction", id),
  async end() {
    await store.close();
    process.disconnect?.();
    return undefined;
  },
};

function tell(answer: Answer): void {
  if (process.connected) process.send?.(answer);
}

process.on("message", ({ what, argument }: { what: string; argument?: string }) => {
  const act = acts[what];
  if (act === undefined) throw new Error(`a child can't ${what}`);
  act(argument ?? "").then(
    (value) => tell({ value }),
    (error: unknown) => tell({ error: String(error) }),
  );
});
tell({ value: "ready" });
