// `sluice clock confirm`

import { confirmClock } from "../../actions/upkeep/clock.ts";
import { defineStoreCommand } from "../command.ts";

export const clockConfirm = defineStoreCommand({
  name: "clock confirm",
  summary:
    "Say that the clock of this host is right, after it has jumped or the service was stopped for long.",
  details:
    "When the clock differs by more than CLOCK_JUMP_HOURS from the last time that the store knows, deletions, ceilings and the " +
    "ends of holds and floors are paused, because a wrong clock would erase what has to be kept. Compare the time that this " +
    "prints with another clock. Serving processes continue within a minute.",
  examples: ["sluice clock confirm"],
  rights: ["clock.confirm"],
  run: async (app) => {
    const { now, known } = await confirmClock(app);
    const [time, before] = [now, known].map((one) =>
      one === undefined ? undefined : new Date(one).toISOString(),
    );
    return {
      json: { confirmed: time, ...(before === undefined ? {} : { last_known: before }) },
      text: `The time ${time ?? ""} is confirmed; the last time that was known is ${before ?? "none"}.`,
    };
  },
});
