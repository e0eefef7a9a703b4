// The program of a child process: opens the store, then does what it is told. It ends only when it
// is killed or told to.

import { AppError } from "../../../src/domain/error.ts";
import { openStore } from "../../../src/store/open-store.ts";
import type { StoreOptions } from "../../../src/store/interface/store.ts";
import { prepareErasure, workerMoves } from "../../conformance/resumption.ts";
import { add, transaction, write } from "../../conformance/scene.ts";
import type { Answer } from "./child.ts";

const [role, path] = process.argv.slice(2) as [StoreOptions["role"], string];
const store = await openStore(`sqlite:${path}`, { role });
const moves = workerMoves(store);
let loaded = 0;

type Act = (argument: string) => Promise<unknown>;

const acts: Readonly<Record<string, Act | undefined>> = {
  add: (id) => add(store, "transaction", id),
  prepare: () => prepareErasure(store),
  async move() {
    const move = await moves.next();
    return move.value;
  },
  /** Lists of three without end, one after another; reports each that was accepted. */
  async load(name) {
    for (;;) {
      loaded += 1;
      const batch = `${name}-${loaded}`;
      const list = ["a", "b", "c"].map((part) => transaction(`${batch}-${part}`));
      await write(store, list);
      tell({ told: batch });
    }
  },
  /**
   * Single records until one is rejected; returns the first rejected one, and how many were
   * accepted before.
   */
  async fill() {
    const amount = 1;
    const additional_properties = [{ key: "filler", value: "x".repeat(1_000), type: "STRING" }];
    for (let count = 0; ; count += 1) {
      const drafts = [transaction(`fill-${count}`, { amount, additional_properties })];
      try {
        await write(store, drafts);
      } catch (error) {
        return { accepted: count, byCaller: error instanceof AppError };
      }
    }
  },
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
