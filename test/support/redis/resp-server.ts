// Serves the Redis substitute on a port of this machine, in version 2 of the Redis protocol. It can
// hang, refuse, be killed, and be started again at the same port, as empty as a server without
// persistence.

import { createServer, type Server, type Socket } from "node:net";
import { makeLuaRedis, RedisError, type RedisReply } from "./lua-redis.ts";

export interface RespServer {
  readonly port: number;
  /** Names of the commands that it has received. */
  readonly commands: readonly string[];
  /** From now on: answers, does not answer, or refuses scripts as a server without memory does. */
  behave(how: Behaviour): void;
  /** Reads the server's content directly. */
  run(words: readonly string[]): RedisReply;
  kill(): Promise<void>;
  start(): Promise<void>;
}

export type Behaviour = "answer" | "hang" | "refuse";

export interface RespOptions {
  readonly now?: () => number;
  /** Required before any other command. */
  readonly password?: string;
}

const wallClock = (): number => performance.timeOrigin + performance.now();

export async function startRespServer(options: RespOptions = {}): Promise<RespServer> {
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  let server: Server | undefined;
  let port = 0;
  let behaviour: Behaviour = "answer";
  let redis = makeLuaRedis(options.now ?? wallClock);
  const run: Talk["run"] = (words) => {
    const isScript = words[0]?.startsWith("EVAL") === true;
    if (isScript && behaviour === "refuse") throw new RedisError("OOM command not allowed");
    return redis.run(words);
  };
  async function start(): Promise<void> {
    redis = makeLuaRedis(options.now ?? wallClock);
    const made = createServer((socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
      socket.on("error", () => socket.destroy());
      serveSocket(socket, { options, commands, run, isSilent: () => behaviour === "hang" });
    });
    await new Promise<void>((resolve) => void made.listen(port, "127.0.0.1", resolve));
    const address = made.address();
    port = typeof address === "object" ? (address?.port ?? 0) : 0;
    server = made;
  }
  await start();
  return {
    port,
    commands,
    start,
    run: (words) => redis.run(words),
    behave: (how) => {
      behaviour = how;
    },
    kill: async () => {
      const ending = server;
      for (const socket of sockets) socket.resetAndDestroy();
      await new Promise<void>((resolve) => void (ending?.close(() => resolve()) ?? resolve()));
    },
  };
}

interface Talk {
  readonly options: RespOptions;
  readonly isSilent: () => boolean;
  readonly commands: string[];
  readonly run: (words: readonly string[]) => RedisReply;
}

function serveSocket(socket: Socket, { options, isSilent, commands, run }: Talk): void {
  const { password } = options;
  let isKnown = password === undefined;
  const answer = (words: readonly string[]): string => {
    commands.push(words[0]?.toUpperCase() ?? "");
    if (words[0]?.toUpperCase() === "AUTH") {
      isKnown = words.at(-1) === password;
      return isKnown ? "+OK\r\n" : "-WRONGPASS invalid username-password pair\r\n";
    }
    if (!isKnown) return "-NOAUTH Authentication required.\r\n";
    try {
      return write(run(words));
    } catch (error) {
      if (error instanceof RedisError) return `-${error.message}\r\n`;
      throw error;
    }
  };
  let rest = "";
  socket.setEncoding("latin1");
  socket.on("data", (chunk: string) => {
    rest += chunk;
    for (let found = read(rest); found !== undefined; found = read(rest)) {
      rest = rest.slice(found.end);
      const reply = answer(found.words);
      if (!isSilent()) socket.write(reply);
    }
  });
}

/** One request, a list of strings, if all of it has arrived. */
function read(
  text: string,
): { readonly words: readonly string[]; readonly end: number } | undefined {
  const head = /^\*(\d+)\r\n/.exec(text);
  if (head === null) return undefined;
  const words: string[] = [];
  let end = head[0].length;
  while (words.length < Number(head[1])) {
    const size = /^\$(\d+)\r\n/.exec(text.slice(end, end + 16));
    if (size === null) return undefined;
    const from = end + size[0].length;
    end = from + Number(size[1]) + 2;
    if (end > text.length) return undefined;
    words.push(text.slice(from, end - 2));
  }
  return { words, end };
}

function write(reply: RedisReply): string {
  if (reply === null) return "$-1\r\n";
  if (typeof reply === "number") return `:${reply}\r\n`;
  if (typeof reply === "string") return `$${Buffer.byteLength(reply, "latin1")}\r\n${reply}\r\n`;
  return `*${reply.length}\r\n${reply.map(write).join("")}`;
}
