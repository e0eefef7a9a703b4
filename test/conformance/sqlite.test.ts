// The conformance suite on SQLite: what depends on the server's thread in a serving process, and all else as a command.

import { join } from "node:path";
import type { StoreOptions } from "../../src/store/interface/store.ts";
import { openTestStore, type TestStore } from "../support/test-store.ts";
import { makeTempFolder, removeFolder } from "../support/temp-folder.ts";
import type { Engine } from "./engine.ts";
import { testCommand, testServer } from "./suite.ts";

function sqlite(role: StoreOptions["role"]): Engine {
  return {
    name: `SQLite, ${role}`,
    async open(options) {
      const folder = makeTempFolder();
      const url = `sqlite:${join(folder, "data", "sluice.db")}`;
      const opened: TestStore[] = [];
      async function open(more?: Partial<StoreOptions>): Promise<TestStore> {
        const store = await openTestStore(url, { role, ...options, ...more });
        opened.push(store);
        return store;
      }
      const closeAll = () => Promise.all(opened.splice(0).map((store) => store.close()));
      return {
        store: await open(),
        openAnother: (more) => open({ role: "command", ...more }),
        async reopen() {
          await closeAll();
          return open();
        },
        async remove() {
          await closeAll();
          removeFolder(folder);
        },
      };
    },
  };
}

testServer(sqlite("serve"));
testCommand(sqlite("command"));
