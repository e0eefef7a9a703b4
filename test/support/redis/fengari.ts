// fengari, which has no types: the part of it that the Redis substitute uses. Lua's own interface
// in C has the same names: https://www.lua.org/manual/5.3/manual.html#4.6

import { createRequire } from "node:module";

export interface LuaState {
  readonly luaState: unique symbol;
}

interface Fengari {
  readonly lua: {
    readonly LUA_OK: number;
    readonly LUA_REGISTRYINDEX: number;
    readonly LUA_TNIL: number;
    readonly LUA_TNUMBER: number;
    readonly LUA_TSTRING: number;
    readonly LUA_TTABLE: number;
    lua_createtable(...sent: [state: LuaState, items: number, fields: number]): void;
    lua_geti(...sent: [state: LuaState, index: number, key: number]): number;
    lua_gettop(state: LuaState): number;
    lua_pcall(...sent: [state: LuaState, given: number, results: number, handler: number]): number;
    lua_pop(state: LuaState, count: number): void;
    lua_pushboolean(state: LuaState, value: boolean): void;
    lua_pushcfunction(state: LuaState, made: (state: LuaState) => number): void;
    lua_pushinteger(state: LuaState, value: number): void;
    lua_pushstring(state: LuaState, text: Uint8Array): void;
    lua_rawgeti(...sent: [state: LuaState, index: number, key: number]): number;
    lua_setfield(...sent: [state: LuaState, index: number, name: Uint8Array]): void;
    lua_setglobal(state: LuaState, name: Uint8Array): void;
    lua_seti(...sent: [state: LuaState, index: number, key: number]): void;
    lua_tojsstring(state: LuaState, index: number): string;
    lua_tonumber(state: LuaState, index: number): number;
    lua_type(state: LuaState, index: number): number;
  };
  readonly lauxlib: {
    luaL_loadstring(state: LuaState, script: Uint8Array): number;
    luaL_newstate(): LuaState;
    luaL_ref(state: LuaState, table: number): number;
  };
  readonly lualib: { luaL_openlibs(state: LuaState): void };
  to_luastring(text: string): Uint8Array;
}

const fengari = createRequire(import.meta.url)("fengari") as Fengari;

export const { lua, lauxlib, lualib } = fengari;

export function luaText(text: string): Uint8Array {
  return fengari.to_luastring(text);
}
