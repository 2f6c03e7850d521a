package org.apache.kafka.common.requests;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;

/**
 * Reads requests, a line each, and prints Kafka's response to each for an error.
 *
 *   ERROR MESSAGE FRAME --> FRAME, or "none" if Kafka closes the connection instead
 *
 * Frames are in hexadecimal, without their length. The error is a code, or "bug" for an exception
 * that is not Kafka's; "-" means no message.
 */
public class ErrorResponses {
    public static void main(String[] arguments) throws Exception {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(respond(line.split(" ")));
        }
    }

    private static String respond(String[] words) {
        ByteBuffer frame = ByteBuffer.wrap(HexFormat.of().parseHex(words[2]));
        RequestHeader header = RequestHeader.parse(frame);
        AbstractRequest request = AbstractRequest.parseRequest(
            header.apiKey(), header.apiVersion(), new ByteBufferAccessor(frame)).request;
        AbstractResponse response = request.getErrorResponse(0, error(words[0], words[1]));
        if (response == null) return "none";
        ByteBuffer buffer = response.serializeWithHeader(header.toResponseHeader(), header.apiVersion());
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    private static Throwable error(String code, String message) {
        String text = message.equals("-") ? null : message;
        if (code.equals("bug")) return new IllegalStateException(text);
        Errors error = Errors.forCode(Short.parseShort(code));
        return text == null ? error.exception() : error.exception(text);
    }
}
