/** The answers of /auth/api/admin, by the names of this page. Times are texts of RFC 3339, or empty. */
export type {
  AdminDeliveries as Deliveries,
  AdminDelivery as Delivery,
  AdminEmail as Email,
  AdminEvent as Happening,
  AdminExplained as Explained,
  AdminFact as Fact,
  AdminImport as Import,
  AdminImporting as Importing,
  AdminInvitation as Invitation,
  AdminInvitations as Invitations,
  AdminJob as Job,
  AdminKey as Key,
  AdminKeyMade as KeyMade,
  AdminKeys as Keys,
  AdminLine as Line,
  AdminListedApp as ListedApp,
  AdminPeople as People,
  AdminPerson as Person,
  AdminRecord as Facts,
  AdminRetried as Retried,
  AdminRow as Row,
  AdminSystem as System,
  AdminWebhook as Webhook,
  AdminWebhookAnswer as WebhookAnswer,
} from '../api/schema.gen';

export interface Page {
  /** The cursor of the next page, absent on the last one. */
  next?: string;
  /** The page has fewer rows because the search had read enough of them. */
  searched?: boolean;
}
