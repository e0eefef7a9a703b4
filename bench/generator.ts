// Starts the load generator as a child process, which stays warm through all rounds.

import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { RoundAnswer, RoundOrder, RoundReport } from "./load.ts";

export interface Generator {
  readonly stop: () => void;
  readonly runRound: (order: RoundOrder) => Promise<RoundReport>;
}

export function startGenerator(): Generator {
  const child = fork(join(import.meta.dirname, "load.ts"));
  const died = once(child, "exit").then(() => ({ failure: "the load generator has ended" }));
  return {
    stop: () => child.disconnect(),
    runRound: async (order: RoundOrder): Promise<RoundReport> => {
      const answered = once(child, "message").then(([report]) => report as RoundAnswer);
      child.send(order);
      const answer = await Promise.race([answered, died]);
      if ("failure" in answer) throw new Error(answer.failure);
      return answer;
    },
  };
}
