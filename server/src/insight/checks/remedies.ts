// Remedies that change a setting, as people run them. Pure.

export const byReload = (name: string, value: string): string =>
  `alter system set ${name} = ${value};\nselect pg_reload_conf();`;

export const byRestart = (name: string, value: string): string =>
  `alter system set ${name} = ${value};\n-- Restart the server afterwards.`;
