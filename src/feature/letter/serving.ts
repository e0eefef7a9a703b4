// The texts of letters in a serving process, which the pages use.

import { valueOf } from "../../settings/config.ts";
import type { OpenService, ServiceParts } from "../feature.ts";
import { letterTexts } from "./texts.ts";

export function open({ config }: ServiceParts): Promise<OpenService> {
  return Promise.resolve({ source: valueOf(config, letterTexts) });
}
