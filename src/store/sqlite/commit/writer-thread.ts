// The writer thread: opens the store, then runs the jobs that its clients send. The thread that started it is the first
// client and connects the others. Ends when the first client sends null, never on its own.

import {
  type MessagePort,
  parentPort,
  receiveMessageOnPort,
  workerData,
} from "node:worker_threads";
import type { GroupFigures } from "../../interface/store.ts";
import { type Connection, openWriter, transaction } from "../connection.ts";
import { asDamaged } from "../failure.ts";
import { closeWriter } from "../file/checkpoint-freeze.ts";
import { migrate } from "../migration/migrate.ts";
import { GroupLoop } from "./group-loop.ts";
import { flattenResult, unflattenJobs } from "./job.ts";
import type { FromWriter, ToWriter } from "./writer-client.ts";
import { findStaleCounter } from "../../sql/record/arrivals.ts";
import { storeParts } from "../../../feature/parts.ts";

const setArrival = `UPDATE counter SET value = ? WHERE name = 'arrival'`;

const main = parentPort;
if (main === null) throw new Error("the writer must run in a worker thread");

/** A client of this thread. It receives its answers in one message after each group. */
interface Client {
  readonly port: MessagePort;
  answers: unknown[];
}

const clients: Client[] = [];
let ending = false;

const { path, checkpoints } = workerData as {
  readonly path: string;
  readonly checkpoints: boolean;
};

try {
  const connection = openWriter(path, { parts: storeParts });
  migrate(connection);
  raiseCounter(connection);
  // While the store is served, checkpoints run beside the writer (checkpointer.ts).
  if (!checkpoints) connection.exec("PRAGMA wal_autocheckpoint = 0");
  serve(connection, main);
  tell(main, { ready: true });
} catch (cause) {
  const error = asDamaged(path, cause) ?? cause;
  tell(main, { failure: error instanceof Error ? error.message : String(error) });
  main.close();
}

function serve(connection: Connection, first: MessagePort): void {
  const loop = new GroupLoop(connection, {
    receive: () => {
      for (const client of clients) receiveFrom(client);
    },
    onGroup: (figures) => {
      // The first client counts every group, regardless of who sent its jobs.
      for (const client of clients)
        tellAnswers(client, client.port === first ? figures : undefined);
    },
    onIdle: () => {
      for (const client of clients) tellAnswers(client, undefined);
    },
  });
  connect(first);

  function connect(port: MessagePort): void {
    const client: Client = { port, answers: [] };
    clients.push(client);
    port.on("message", (message: ToWriter) => {
      take(client, message);
      loop.run();
      endIfAsked();
    });
    // The thread of the client has ended.
    port.on("close", () => clients.splice(clients.indexOf(client), 1));
  }

  function receiveFrom(client: Client): void {
    for (let next = receiveMessageOnPort(client.port); next;) {
      take(client, (next as { readonly message: ToWriter }).message);
      next = receiveMessageOnPort(client.port);
    }
  }

  function take(client: Client, message: ToWriter): void {
    if (message === null) ending = true;
    else if (message === "refuse writes") loop.refuseWrites();
    else if ("connect" in message) connect(message.connect);
    else {
      for (const { ticket, job } of unflattenJobs(message)) {
        loop.add({ job, answer: (result) => flattenResult(client.answers, ticket, result) });
      }
    }
  }

  /** A client asks for the end only after all of its jobs are answered. */
  function endIfAsked(): void {
    if (!ending) return;
    closeWriter(connection);
    for (const { port } of clients.splice(0)) port.close();
  }
}

function tellAnswers(client: Client, figures: GroupFigures | undefined): void {
  const { port, answers } = client;
  client.answers = [];
  if (answers.length > 0 || figures !== undefined) tell(port, { answers, figures });
}

function tell(port: MessagePort, message: FromWriter): void {
  port.postMessage(message);
}

function raiseCounter(connection: Connection): void {
  if (connection.perform(findStaleCounter) === undefined) return;
  transaction(connection, () => {
    const stale = connection.perform(findStaleCounter);
    if (stale !== undefined) connection.run(setArrival, stale.safe);
  });
}
