// Services that run PostgreSQL for others, each known by the database that it keeps for itself: settings are not changed there by SQL,
// and what only a superuser may read is given to nobody. Pure.
import { inertLine } from '../../kernel/inert-text.ts';
import type { Remedy } from './remedy.ts';

export interface Platform {
  readonly name: string;
  /** Its own superuser, whose sessions it shows to nobody else. */
  readonly superuser: string;
  /** How a setting is changed there, with names in capitals to be filled in. */
  set(setting: string, value: string, isRestart: boolean): string;
}

const FLAGS = '(name all flags that are to stay: it resets the others)';
const PLATFORMS: Readonly<Record<string, Platform>> = {
  rdsadmin: {
    name: 'Amazon RDS',
    superuser: 'rdsadmin',
    set: (setting, value, isRestart) =>
      `aws rds modify-db-parameter-group --db-parameter-group-name GROUP --parameters "ParameterName=${setting},ParameterValue='${value}',ApplyMethod=${isRestart ? 'pending-reboot' : 'immediate'}"`,
  },
  cloudsqladmin: {
    name: 'Cloud SQL',
    superuser: 'cloudsqladmin',
    set: (setting, value) =>
      `gcloud sql instances patch INSTANCE --database-flags=${setting}=${value} ${FLAGS}`,
  },
  alloydbadmin: {
    name: 'AlloyDB',
    superuser: 'alloydbadmin',
    set: (setting, value) =>
      `gcloud alloydb instances update INSTANCE --cluster=CLUSTER --region=REGION --database-flags=${setting}=${value} ${FLAGS}`,
  },
  azure_maintenance: {
    name: 'Azure Database for PostgreSQL',
    superuser: 'azuresu',
    set: (setting, value) =>
      `az postgres flexible-server parameter set --resource-group GROUP --server-name SERVER --name ${setting} --value "${value}"`,
  },
};

export const PLATFORM_DATABASES = Object.keys(PLATFORMS);

/** Undefined: it is a database as any other. */
export const platformOf = (database: string): Platform | undefined =>
  Object.hasOwn(PLATFORMS, database) ? PLATFORMS[database] : undefined;

/** Of a database of the service; undefined of others. */
export function keptBack(database: string): string | undefined {
  const platform = platformOf(database);
  return (
    platform &&
    `${platform.name} keeps the database ${database} for itself, so nobody else may connect to it.`
  );
}

const SET = /^alter system set ([\w.]+) = ([^;]*);$/;
const RELOAD = 'select pg_reload_conf();';

function howOf(line: string, platform: Platform, isRestart = false): string[] {
  const [, setting = '', value = ''] = SET.exec(line) ?? [];
  if (setting === '') return [];
  const plain = value.split(',').map((one) => one.trim().replace(/^'(.*)'$/, '$1'));
  const unit = /^\d+[a-zA-Z]+$/.test(plain.join(',')) ? ', in the unit of pg_settings' : '';
  return [
    `${platform.name} refuses alter system${unit}: ${platform.set(setting, plain.join(','), isRestart)}`,
  ];
}

const isLeft = (line: string) => !SET.test(line) && line !== RELOAD;

/** The same as it is done on the service. */
export const onPlatform = (remedy: Remedy, platform: Platform): Remedy =>
  remedy.map((step) => {
    const how = step.sql.flatMap((line) => howOf(line, platform, step.restart));
    return how.length === 0 ? step : { ...step, sql: step.sql.filter(isLeft), first: how.join('; ') };
  });

/** Of a remedy that is one text. */
export function textOnPlatform(text: string, platform: Platform): string {
  const lines = text.replaceAll(`; ${RELOAD}`, `;\n${RELOAD}`).split('\n');
  if (!lines.some((line) => SET.test(line))) return text;
  const isRestart = lines.some((line) => /^-- restart/i.test(line));
  return lines
    .flatMap((line) =>
      isLeft(line) ? [line] : howOf(line, platform, isRestart).map((how) => `-- ${inertLine(how)}`),
    )
    .join('\n');
}
