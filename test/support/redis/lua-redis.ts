// A substitute for Redis where none is installed: a few commands over strings that expire, and
// scripts in a real Lua. It behaves as servers do, for example a script's reply has no fractions,
// and knows nothing of what it is used for.

import { createHash } from "node:crypto";
import { lauxlib, lua, lualib, type LuaState, luaText } from "./fengari.ts";

/** An error reply: the first word is its code. */
export class RedisError extends Error {}

export type RedisReply = string | number | null | readonly RedisReply[];

export interface LuaRedis {
  /** Throws RedisError. */
  run(words: readonly string[]): RedisReply;
}

interface Entry {
  readonly text: string;
  /** Milliseconds. */
  readonly until: number;
}

type Command = (words: readonly string[]) => RedisReply;

/** `now`: milliseconds, with a fraction for higher precision. */
export function makeLuaRedis(now: () => number): LuaRedis {
  const entries = new Map<string, Entry>();
  const read = (key: string): Entry | undefined => {
    const entry = entries.get(key);
    if (entry !== undefined && entry.until > now()) return entry;
    entries.delete(key);
    return undefined;
  };
  const commands: Record<string, Command> = {
    PING: () => "PONG",
    TIME: () => {
      const micros = Math.round(now() * 1_000);
      return [String(Math.floor(micros / 1_000_000)), String(micros % 1_000_000)];
    },
    GET: ([key = ""]) => read(key)?.text ?? null,
    SET: ([key = "", text = "", unit, count]) => {
      if (unit !== "PX" || !/^[1-9]\d*$/.test(count ?? ""))
        throw new RedisError("ERR syntax error");
      entries.set(key, { text, until: now() + Number(count) });
      return "OK";
    },
    PTTL: ([key = ""]) => {
      const entry = read(key);
      return entry === undefined ? -2 : Math.ceil(entry.until - now());
    },
    KEYS: ([pattern = ""]) => {
      const start = pattern.replace(/\*$/, "");
      return [...entries.keys()].filter((key) => key.startsWith(start) && read(key) !== undefined);
    },
  };
  const scripts = makeScripts((words) => runCommand(commands, words));
  Object.assign(commands, scripts);
  return { run: (words) => runCommand(commands, words) };
}

function runCommand(commands: Readonly<Record<string, Command>>, words: readonly string[]) {
  const [name = "", ...rest] = words;
  const command = commands[name.toUpperCase()];
  if (command === undefined) throw new RedisError(`ERR unknown command '${name}'`);
  return command(rest);
}

function makeScripts(run: Command): Record<string, Command> {
  const known = new Map<string, (words: readonly string[]) => RedisReply>();
  return {
    EVAL: ([text = "", ...rest]) => {
      const sha1 = createHash("sha1").update(text).digest("hex");
      const script = known.get(sha1) ?? compile(text, run);
      known.set(sha1, script);
      return script(rest);
    },
    EVALSHA: ([sha1 = "", ...rest]) => {
      const script = known.get(sha1);
      if (script === undefined)
        throw new RedisError("NOSCRIPT No matching script. Please use EVAL.");
      return script(rest);
    },
    SCRIPT: ([action]) => {
      if (action?.toUpperCase() !== "FLUSH") throw new RedisError("ERR unknown subcommand");
      known.clear();
      return "OK";
    },
  };
}

/**
 * Servers run Lua 5.1, in which every number is a double; here integers would have only 32 bits.
 */
const asIn51 = `
local read = tonumber
function tonumber(text) local number = read(text) return number and number + 0.0 end
`;

function compile(text: string, run: Command): (words: readonly string[]) => RedisReply {
  const state = lauxlib.luaL_newstate();
  lualib.luaL_openlibs(state);
  lua.lua_createtable(state, 0, 1);
  lua.lua_pushcfunction(state, () => {
    push(state, run(readWords(state)));
    return 1;
  });
  lua.lua_setfield(state, -2, luaText("call"));
  lua.lua_setglobal(state, luaText("redis"));
  check(state, lauxlib.luaL_loadstring(state, luaText(asIn51)));
  check(state, lua.lua_pcall(state, 0, 0, 0));
  check(state, lauxlib.luaL_loadstring(state, luaText(text)));
  const script = lauxlib.luaL_ref(state, lua.LUA_REGISTRYINDEX);
  return ([count = "0", ...rest]) => {
    push(state, rest.slice(0, Number(count)));
    lua.lua_setglobal(state, luaText("KEYS"));
    push(state, rest.slice(Number(count)));
    lua.lua_setglobal(state, luaText("ARGV"));
    lua.lua_rawgeti(state, lua.LUA_REGISTRYINDEX, script);
    check(state, lua.lua_pcall(state, 0, 1, 0));
    return pull(state);
  };
}

function check(state: LuaState, status: number): void {
  if (status === lua.LUA_OK) return;
  const message = lua.lua_tojsstring(state, -1);
  lua.lua_pop(state, 1);
  throw new RedisError(`ERR ${message}`);
}

function readWords(state: LuaState): readonly string[] {
  const count = lua.lua_gettop(state);
  return Array.from({ length: count }, (_, index) => lua.lua_tojsstring(state, index + 1));
}

/** A missing value is false in a script. */
function push(state: LuaState, value: RedisReply): void {
  if (value === null) return lua.lua_pushboolean(state, false);
  if (typeof value === "string") return lua.lua_pushstring(state, luaText(value));
  if (typeof value === "number") return lua.lua_pushinteger(state, value);
  lua.lua_createtable(state, value.length, 0);
  for (const [index, item] of value.entries()) {
    push(state, item);
    lua.lua_seti(state, -2, index + 1);
  }
}

/** Converts the top of the stack. Numbers lose their fraction, and a list ends at its first gap. */
function pull(state: LuaState): RedisReply {
  const type = lua.lua_type(state, -1);
  let value: RedisReply = null;
  if (type === lua.LUA_TNUMBER) value = Math.trunc(lua.lua_tonumber(state, -1));
  else if (type === lua.LUA_TSTRING) value = lua.lua_tojsstring(state, -1);
  else if (type === lua.LUA_TTABLE) value = pullList(state);
  lua.lua_pop(state, 1);
  return value;
}

function pullList(state: LuaState): readonly RedisReply[] {
  const items: RedisReply[] = [];
  for (;;) {
    if (lua.lua_geti(state, -1, items.length + 1) === lua.LUA_TNIL) break;
    items.push(pull(state));
  }
  lua.lua_pop(state, 1);
  return items;
}
