// What is changed by SQL elsewhere, as services have it changed.
import { expect, it } from 'vitest';
import { platformOf, textOnPlatform } from './platforms.ts';

const on = (database: string, text: string) => {
  const platform = platformOf(database);
  return platform && textOnPlatform(text, platform);
};

it('a setting is changed by the tool of the service, and what is SQL there stays SQL', () => {
  const end = 'select pg_terminate_backend(7);';
  const text = `${end}\nalter system set idle_in_transaction_session_timeout = '300s';\nselect pg_reload_conf();`;
  expect(on('azure_maintenance', text)).toBe(
    `${end}\n-- Azure Database for PostgreSQL refuses alter system, in the unit of pg_settings: az postgres flexible-server parameter set --resource-group GROUP --server-name SERVER --name idle_in_transaction_session_timeout --value "300s"`,
  );
  const preload = "alter system set shared_preload_libraries = 'a', 'b';\n-- Restart the server afterwards.";
  expect(on('rdsadmin', preload)).toContain(
    `"ParameterName=shared_preload_libraries,ParameterValue='a,b',ApplyMethod=pending-reboot"\n-- Restart the server`,
  );
  expect(on('cloudsqladmin', text)).toContain('gcloud sql instances patch INSTANCE --database-flags=');
  expect(on('alloydbadmin', text)).toContain('gcloud alloydb instances update INSTANCE');
  expect(on('rdsadmin', 'alter system set a = on; select pg_reload_conf();')).toMatch(
    /ParameterValue='on',[^;]*$/,
  );
  expect(on('rdsadmin', end)).toBe(end);
});

it('a database as any other belongs to no service', () => {
  for (const name of ['postgres', 'shop', 'constructor', '']) expect(platformOf(name)).toBeUndefined();
});
