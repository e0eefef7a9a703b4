// Node's module `http`. To import its values would also load fetch and WebSocket, which it offers: 40 ms of processor
// time.

export const http = process.getBuiltinModule("node:http");
