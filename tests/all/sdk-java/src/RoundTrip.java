import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tracewright.client.ApiClient;
import tracewright.client.ApiException;
import tracewright.client.api.ProcessApi;
import tracewright.client.api.ProductApi;
import tracewright.client.api.ProductionApi;
import tracewright.client.api.SecurityApi;
import tracewright.client.api.SerialApi;
import tracewright.client.api.TraceabilityApi;
import tracewright.client.model.AuthAPIResponse;
import tracewright.client.model.BodyCopyProductProductCopyPost;
import tracewright.client.model.BomLineRead;
import tracewright.client.model.BomLineWriteIn;
import tracewright.client.model.EventBATCHCREATED;
import tracewright.client.model.EventJOBSTARTED;
import tracewright.client.model.EventSTEPCOMPLETED;
import tracewright.client.model.PhaseDataInput;
import tracewright.client.model.PhaseDataOutput;
import tracewright.client.model.PostedEvent;
import tracewright.client.model.SerialTreeNode;
import tracewright.client.model.StepInput;
import tracewright.client.model.WorkOrderNew;

/**
 * Log in, read a hierarchy, change a bill of materials and put it back, record what happens to a job: with the generated client
 * alone.
 */
final class RoundTrip {
  private static final String PRODUCT = "battery";

  public static void main(String[] arguments) throws ApiException {
    ApiClient client = new ApiClient();
    client.updateBaseUri(arguments[0]);
    AuthAPIResponse session =
        new SecurityApi(client).authenticateUserAuthPost("marco", "tracewright-demo", "password", null, null, null);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + session.getAccessToken()));

    SerialTreeNode bike = new SerialApi(client).getSerialHierarchySerialHierarchyGet("eb-1", true).get(0);
    List<SerialTreeNode> batteries =
        bike.getChildren().stream().filter(part -> "BAT-500".equals(part.getProductCode())).collect(Collectors.toList());
    check(batteries.get(0).getReplaced() && !batteries.get(1).getReplaced(), batteries);
    check("CM-2001".equals(batteries.get(1).getChildren().get(0).getSerialCode()), batteries);

    ProductApi products = new ProductApi(client);
    List<BomLineRead> before = products.getProductBomProductProductKeyBomGet(PRODUCT);
    replace(products, before, 1);
    List<BomLineRead> after = products.getProductBomProductProductKeyBomGet(PRODUCT);
    check(quantities(after, -1).equals(quantities(before, 0)), after);
    replace(products, before, 0);
    check(quantities(products.getProductBomProductProductKeyBomGet(PRODUCT), 0).equals(quantities(before, 0)), before);
    System.out.printf(
        "java: hierarchy read, %d lines of a bill of materials written and put back, %d events%n", before.size(), work(client));
  }

  /** What happens to a job is recorded and read with the members of each type. */
  private static int work(ApiClient client) throws ApiException {
    Object copied =
        new ProductApi(client)
            .copyProductProductCopyPost(
                new BodyCopyProductProductCopyPost().originalProduct("bolt").newCode("BOLT-2"))
            .getDetail();
    String product = (String) ((Map<?, ?>) copied).get("new_product_key");
    PhaseDataInput phase =
        new PhaseDataInput()
            .alias("Turning")
            .operationKey("assembly")
            .addStepsItem(new StepInput().title("Turn"))
            .addStepsItem(new StepInput().title("Measure"));
    PhaseDataOutput turning =
        new ProcessApi(client).updateProcessProductProductKeyProcessPut(product, List.of(phase), null).get(0);
    String step = turning.getSteps().get(0).getKey();
    WorkOrderNew order = new WorkOrderNew().productKey(product).qtPlanned(1.0);
    String job =
        new ProductionApi(client).createWorkOrderWorkOrderPost(order).getDetail().getJobs().get(0).getKey();

    TraceabilityApi events = new TraceabilityApi(client);
    EventJOBSTARTED started =
        new EventJOBSTARTED().eventType(EventJOBSTARTED.EventTypeEnum.JOB_STARTED).jobKey(job);
    events.recordEventEventPost(new PostedEvent(started));
    String batch = of(EventBATCHCREATED.class, journal(events, job)).get(0).getBatchKey();
    EventSTEPCOMPLETED done =
        new EventSTEPCOMPLETED()
            .eventType(EventSTEPCOMPLETED.EventTypeEnum.STEP_COMPLETED)
            .batchKey(batch)
            .stepKey(step);
    events.recordEventEventPost(new PostedEvent(done));
    List<Object> journal = journal(events, job);
    check(of(EventSTEPCOMPLETED.class, journal).get(0).getStepKey().equals(step), journal);
    check(journal.get(0) instanceof EventJOBSTARTED, journal);
    return journal.size();
  }

  private static List<Object> journal(TraceabilityApi events, String job) throws ApiException {
    return events
        .getEventsEventGet(
            null, null, job, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null)
        .stream()
        .map(event -> event.getActualInstance())
        .collect(Collectors.toList());
  }

  private static <T> List<T> of(Class<T> type, List<Object> journal) {
    return journal.stream().filter(type::isInstance).map(type::cast).collect(Collectors.toList());
  }

  private static void replace(ProductApi products, List<BomLineRead> lines, double extra) throws ApiException {
    List<BomLineWriteIn> written =
        lines.stream()
            .map(line -> new BomLineWriteIn()
                .componentKey(line.getComponentKey())
                .phaseKey(line.getPhaseKey())
                .qt(line.getQt() + extra))
            .collect(Collectors.toList());
    products.updateBomProductProductKeyOrCodeBomPut(PRODUCT, written, false, null);
  }

  private static List<Double> quantities(List<BomLineRead> lines, double extra) {
    return lines.stream().map(line -> line.getQt() + extra).collect(Collectors.toList());
  }

  private static void check(boolean holds, Object seen) {
    if (!holds) {
      throw new AssertionError("not as expected: " + seen);
    }
  }
}
