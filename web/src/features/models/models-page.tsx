// Language models: which are configured, and whether they answer.
import { PageHeader } from '../../ui/page-header.tsx';
import classes from './models.module.css';
import { ModelsPanel } from './models-panel.tsx';

export function ModelsPage() {
  return (
    <>
      <PageHeader
        title="Language models"
        facts="Who writes overviews, explanations and answers of the chat"
      />
      <div className={classes.panels}>
        <ModelsPanel />
      </div>
    </>
  );
}
