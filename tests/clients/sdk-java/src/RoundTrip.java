import java.util.List;
import java.util.stream.Collectors;
import tracewright.client.ApiClient;
import tracewright.client.ApiException;
import tracewright.client.api.ProductApi;
import tracewright.client.api.SecurityApi;
import tracewright.client.api.SerialApi;
import tracewright.client.model.AuthAPIResponse;
import tracewright.client.model.BomLineRead;
import tracewright.client.model.BomLineWriteIn;
import tracewright.client.model.SerialTreeNode;

/** Log in, read a hierarchy, change a bill of materials and put it back: with the generated client alone. */
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
    System.out.printf("java: hierarchy read, %d lines of a bill of materials written and put back%n", before.size());
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
