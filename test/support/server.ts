// The service exactly as it is started, by `serve()`, on a temporary store and a free port.

import { addedSettings } from "../../src/process/added-settings.ts";
import { openApp } from "../../src/process/app.ts";
import type { App } from "../../src/actions/app.ts";
import { readConfig } from "../../src/settings/config.ts";
import { serve } from "../../src/process/serve.ts";
import { type Client, makeClient } from "./http-client.ts";
import { testEnvironment } from "./service.ts";
import { makeTempFolder, removeFolder } from "./temp-folder.ts";

export interface Server {
  readonly address: string;
  readonly client: Client;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Acts as an operator: opens the same store in parallel with the server, as commands do. */
  operate<Result>(work: (app: App) => Promise<Result>): Promise<Result>;
  stop(): Promise<void>;
}

/** `folder`: one that an earlier server left, which the test then has to remove. */
export async function startServer(
  options: { environment?: Readonly<Record<string, string>>; folder?: string } = {},
): Promise<Server> {
  const folder = options.folder ?? makeTempFolder();
  const environment = testEnvironment(folder, options.environment);
  const serving = await serve(readConfig(environment, addedSettings));
  const client = makeClient(serving.address);
  return {
    address: serving.address,
    client,
    folder,
    environment,
    operate: (work) => operate(environment, work),
    stop: async () => {
      client.close();
      await serving.stop();
      if (options.folder === undefined) removeFolder(folder);
    },
  };
}

/** Opens the store as a command does, works on it, and closes it. */
export async function operate<Result>(
  environment: Readonly<Record<string, string>>,
  work: (app: App) => Promise<Result>,
): Promise<Result> {
  const options = { role: "command", operator: "operator" } as const;
  const app = await openApp(readConfig(environment, addedSettings), options);
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}
