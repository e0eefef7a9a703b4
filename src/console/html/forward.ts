// A page that forwards to another one without JavaScript.

import { type Html, html } from "./html.ts";

export interface Forward {
  /** Undefined for the same page again. */
  readonly to?: string;
  readonly text: Html;
}

export function renderForward({ to, text }: Forward): Html {
  const refresh = to === undefined ? "0" : `0; url=${to}`;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <title>Sluice</title>
        <meta http-equiv="refresh" content="${refresh}" />
      </head>
      <body>
        <p>${text}</p>
      </body>
    </html> `;
}
