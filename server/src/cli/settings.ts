// All settings of the program: the kernel's own, and those that the catalogs bring.

import { PROVIDER_SETTINGS } from '../assistant/providers/settings.ts';
import { OIDC_SETTINGS } from '../kernel/oidc-settings.ts';
import { PROXY_SETTINGS } from '../kernel/proxy-sign-in-settings.ts';
import { completeSettings, KERNEL_SETTINGS } from '../kernel/settings.ts';

export const settings = completeSettings([
  ...KERNEL_SETTINGS,
  ...OIDC_SETTINGS,
  ...PROXY_SETTINGS,
  ...PROVIDER_SETTINGS,
]);
